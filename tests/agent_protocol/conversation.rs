//! A session with the scripted agent over a stream in memory.

use std::time::Duration;

use siamang::device::agent::answer::code;
use siamang::device::agent::request::{Config, Look, Pace, Primitive, Request, ResetMode, want};
use siamang::device::agent::{AgentError, Session, Timing, Token};
use siamang::seed::Seed;
use tokio::io::DuplexStream;

use crate::phones::agent::{Agent, Fault, Manner};
use crate::support::phone::model;

const TOKEN: [u8; 16] = [3; 16];

/// Short enough that a test of silence is quick.
fn timing() -> Timing {
    let short = Duration::from_millis(300);
    Timing {
        handshake: Duration::from_secs(2),
        deadline: short,
        margin: short,
        ping_every: short / 3,
        undo: short,
    }
}

fn agent(manner: Manner) -> Agent {
    Agent::new(&model("counter_crash"), Seed(1), Token::new(TOKEN), manner)
}

fn connect(agent: &Agent) -> DuplexStream {
    let (ours, theirs) = tokio::io::duplex(1 << 16);
    let agent = agent.clone();
    tokio::spawn(async move { agent.serve(theirs).await });
    ours
}

async fn open(agent: &Agent) -> Result<Session<DuplexStream>, AgentError> {
    Session::open(connect(agent), &Token::new(TOKEN), timing()).await
}

const LOOK: Look = Look { pace: Pace::SETTLE, want: want::TREE_IF_CHANGED, known: 0 };

fn launch(session: &mut Session<DuplexStream>) -> Request {
    Request::Reset {
        step: session.next_step(),
        mode: ResetMode::Warm,
        package: model("counter_crash").package.clone(),
        component: "".into(),
        snapshot: "".into(),
        look: LOOK,
    }
}

fn tap(session: &mut Session<DuplexStream>) -> Request {
    let primitives = vec![Primitive::Tap { x: 500, y: 900 }];
    Request::Step { step: session.next_step(), primitives, look: LOOK }
}

fn now<T>(run: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(run)
}

#[test]
fn a_session_is_opened_used_and_ended() {
    now(async {
        let agent = agent(Manner::default());
        let mut session = open(&agent).await.unwrap();
        assert_eq!(session.hello().sdk, 34);
        assert_eq!(session.configure(Config { flags: 4, ..Config::default() }).await.unwrap(), 4);
        let request = launch(&mut session);
        let answer = session.step(&request, timing().deadline).await.unwrap();
        assert!(answer.tree.is_some());
        session.ping().await.unwrap();
        session.bye().await.unwrap();
        assert!(agent.is_dead());
    });
}

#[test]
fn neither_side_talks_to_one_who_does_not_know_the_token() {
    now(async {
        let wrong = Session::open(connect(&agent(Manner::default())), &Token::new([9; 16]), timing()).await;
        assert!(wrong.is_err_and(|error| error.is_refusal(code::AUTH)));
        // An agent that lets anybody in is no agent of ours.
        let (ours, theirs) = tokio::io::duplex(1 << 16);
        tokio::spawn(impostor(theirs));
        let wrong = Session::open(ours, &Token::new(TOKEN), timing()).await;
        assert!(matches!(wrong, Err(AgentError::Impostor)), "{wrong:?}");
    });
}

/// Greets and says yes to every AUTH, without knowing the token.
async fn impostor(mut stream: DuplexStream) {
    use siamang::device::agent::answer::{Answer, Granted, Stamp};
    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    let mut greeting = vec![0];
    greeting.extend(crate::golden("event_hello"));
    stream.write_all(&greeting).await.unwrap();
    let mut bytes = [0; 1024];
    let _ = stream.read(&mut bytes).await.unwrap();
    let yes = Answer::Auth(Granted { session: 1, agent_mac: [0; 32] });
    stream.write_all(&yes.frame(2, 1, Stamp::default()).encode()).await.unwrap();
    let _ = stream.read(&mut bytes).await;
}

#[test]
fn another_major_version_is_refused_with_a_remedy() {
    now(async {
        let agent = agent(Manner { version: (2, 0), ..Manner::default() });
        let error = open(&agent).await.unwrap_err();
        insta::assert_snapshot!(error, @"the agent says VERSION: the agent speaks version 2.0, this program 1 (build the agent anew with scripts/build-agent)");
    });
}

#[test]
fn a_second_host_is_told_that_the_agent_is_busy() {
    now(async {
        let agent = agent(Manner::default());
        let _first = open(&agent).await.unwrap();
        assert!(open(&agent).await.is_err_and(|error| error.is_refusal(code::BUSY)));
    });
}

#[test]
fn whatever_cuts_a_session_no_step_is_lost_or_done_twice() {
    let faults = [Fault::CutMidFrame, Fault::CutBefore, Fault::Silent, Fault::Garbage, Fault::HugeHeader];
    for fault in faults {
        now(async {
            let agent = agent(Manner::default());
            let mut session = open(&agent).await.unwrap();
            let first = launch(&mut session);
            session.step(&first, timing().deadline).await.unwrap();
            agent.with(|inner| inner.faults.push_back((2, fault.clone())));
            let request = tap(&mut session);
            let error = session.step(&request, timing().deadline).await.unwrap_err();
            assert!(error.is_cut(), "{fault:?}: {error}");
            let thread = session.into_thread();
            let mut session = Session::resume(connect(&agent), thread, timing()).await.unwrap();
            let answer = session.step(&request, timing().deadline).await.unwrap();
            assert_eq!(answer.step, 2, "{fault:?}");
            let request = tap(&mut session);
            session.step(&request, timing().deadline).await.unwrap();
            assert_eq!(agent.with(|inner| inner.done.clone()), [1, 2, 3], "{fault:?}");
        });
    }
}

#[test]
fn an_agent_that_died_knows_no_session() {
    now(async {
        let first = agent(Manner::default());
        let session = open(&first).await.unwrap();
        let second = agent(Manner::default());
        let resumed = Session::resume(connect(&second), session.into_thread(), timing()).await;
        assert!(resumed.is_err_and(|error| error.is_refusal(code::NO_SESSION)));
    });
}

#[test]
fn while_a_step_takes_long_the_agent_hears_that_the_host_is_there() {
    now(async {
        let agent = agent(Manner::default());
        let mut session = open(&agent).await.unwrap();
        agent.with(|inner| inner.faults.push_back((1, Fault::Stall(timing().deadline))));
        let request = launch(&mut session);
        let before = session.ping_due();
        session.step(&request, timing().deadline).await.unwrap();
        assert!(session.ping_due() > before + timing().ping_every);
    });
}
