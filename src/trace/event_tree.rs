//! SimplyDroid event tree
