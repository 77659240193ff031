package siamang.modern

import android.content.Intent
import android.os.Bundle
import android.view.Menu
import android.view.MenuItem
import android.view.View
import android.view.ViewGroup
import android.widget.TextView
import androidx.activity.OnBackPressedCallback
import androidx.activity.viewModels
import androidx.appcompat.app.AlertDialog
import androidx.appcompat.app.AppCompatActivity
import androidx.fragment.app.Fragment
import androidx.lifecycle.ViewModel
import androidx.lifecycle.lifecycleScope
import androidx.recyclerview.widget.LinearLayoutManager
import androidx.recyclerview.widget.RecyclerView
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.delay
import kotlinx.coroutines.launch
import kotlinx.coroutines.withContext

/** What outlives a rotation, but not a process. */
class Counter : ViewModel() {
    var count = 0
}

/** Views of appcompat and recyclerview from a layout, a view model, coroutines, a fragment and the back dispatcher. */
class MainActivity : AppCompatActivity() {
    private val counter: Counter by viewModels()
    private val said: TextView by lazy { findViewById(R.id.said) }

    override fun onCreate(state: Bundle?) {
        super.onCreate(state)
        setContentView(R.layout.main)
        show()
        on(R.id.count) {
            counter.count++
            show()
        }
        on(R.id.wait) {
            lifecycleScope.launch {
                delay(50)
                val sum = withContext(Dispatchers.Default) { (1..100).filter { it % 2 == 0 }.sumOf { it } }
                said.text = "waited for $sum"
            }
        }
        on(R.id.ask) {
            AlertDialog.Builder(this).setMessage("sure?").setPositiveButton("surely") { _, _ -> said.text = "was sure" }.show()
        }
        on(R.id.part) {
            supportFragmentManager.beginTransaction().replace(R.id.place, Part()).addToBackStack(null).commit()
        }
        on(R.id.compose) { startActivity(Intent(this, ComposeActivity::class.java)) }
        findViewById<RecyclerView>(R.id.rows).apply {
            layoutManager = LinearLayoutManager(context)
            adapter = Rows { row -> error("row $row cannot be opened") }
        }
        onBackPressedDispatcher.addCallback(this, object : OnBackPressedCallback(true) {
            override fun handleOnBackPressed() {
                isEnabled = false
                said.text = "once more to leave"
            }
        })
    }

    override fun onCreateOptionsMenu(menu: Menu): Boolean {
        menu.add("forget")
        return true
    }

    override fun onOptionsItemSelected(item: MenuItem): Boolean {
        counter.count = 0
        show()
        return true
    }

    private fun on(id: Int, action: (View) -> Unit) = findViewById<View>(id).setOnClickListener(action)

    private fun show() {
        said.text = getString(R.string.count, counter.count)
    }
}

class Part : Fragment() {
    override fun onCreateView(inflater: android.view.LayoutInflater, container: ViewGroup?, state: Bundle?): View =
        TextView(requireContext()).apply { text = "a part" }
}

class Rows(private val open: (Int) -> Nothing) : RecyclerView.Adapter<Rows.Row>() {
    class Row(val view: TextView) : RecyclerView.ViewHolder(view)

    override fun onCreateViewHolder(parent: ViewGroup, type: Int) = Row(TextView(parent.context).apply { setPadding(20, 20, 20, 20) })

    override fun onBindViewHolder(row: Row, position: Int) {
        row.view.text = "row $position"
        row.view.setOnClickListener { open(position) }
    }

    override fun getItemCount() = 100
}
