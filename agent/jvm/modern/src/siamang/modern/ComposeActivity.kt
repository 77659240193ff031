package siamang.modern

import android.os.Bundle
import androidx.activity.ComponentActivity
import androidx.activity.compose.BackHandler
import androidx.activity.compose.setContent
import androidx.compose.foundation.clickable
import androidx.compose.foundation.layout.Column
import androidx.compose.foundation.layout.padding
import androidx.compose.foundation.lazy.LazyColumn
import androidx.compose.material.AlertDialog
import androidx.compose.material.Button
import androidx.compose.material.Checkbox
import androidx.compose.material.MaterialTheme
import androidx.compose.material.Text
import androidx.compose.material.TextField
import androidx.compose.runtime.Composable
import androidx.compose.runtime.LaunchedEffect
import androidx.compose.runtime.getValue
import androidx.compose.runtime.mutableStateOf
import androidx.compose.runtime.remember
import androidx.compose.runtime.saveable.rememberSaveable
import androidx.compose.runtime.setValue
import androidx.compose.ui.Modifier
import androidx.compose.ui.unit.dp
import kotlinx.coroutines.delay

/** A page of composables only: all that can be seen of it are virtual nodes. */
class ComposeActivity : ComponentActivity() {
    override fun onCreate(state: Bundle?) {
        super.onCreate(state)
        setContent { MaterialTheme { Page() } }
    }
}

@Composable
private fun Page() {
    var taps by rememberSaveable { mutableStateOf(0) }
    var text by rememberSaveable { mutableStateOf("") }
    var asking by remember { mutableStateOf(false) }
    var ready by remember { mutableStateOf(false) }
    var ticked by remember { mutableStateOf(false) }
    LaunchedEffect(Unit) {
        delay(50)
        ready = true
    }
    Column {
        Text("tapped $taps")
        Text(if (ready) "ready" else "not ready")
        Button(onClick = { taps++ }) { Text("tap") }
        Button(onClick = { asking = true }) { Text("dialog") }
        TextField(value = text, onValueChange = { text = it }, label = { Text("name") })
        Text("hello $text")
        Checkbox(checked = ticked, onCheckedChange = { ticked = it })
        Text(if (ticked) "ticked" else "not ticked")
        LazyColumn {
            items(100) { Text("line $it", Modifier.clickable { require(it < 3) { "line $it is too far" } }.padding(12.dp)) }
        }
    }
    if (asking) {
        AlertDialog(
            onDismissRequest = { asking = false },
            text = { Text("composed?") },
            confirmButton = { Button(onClick = { asking = false; taps += 10 }) { Text("yes") } },
        )
    }
    BackHandler(enabled = taps == 1) { taps = 0 }
}
