//! What goes wrong on the way to a phone, and that no step is lost or done twice.
