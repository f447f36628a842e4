//! The library's own faces: samples in memory, and polars frames.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use polars::prelude::*;
use tokio_util::sync::CancellationToken;
use tooljudge::check::Decide;
use tooljudge::domain::{Cell, Outcome, RawRow, Sample, Task};
use tooljudge::frames::{self, FrameError, FrameOptions};
use tooljudge::judge::{Endpoint, Parameters, Provider, Settings, Target, connect};
use tooljudge::normalize::{Normalizer, Options};
use tooljudge::render;
use tooljudge::run::settings::{LabelSettings, StorePlace};
use tooljudge::run::{Control, JudgeTask, Labeler, Observer, Pass, RunError, label};

use crate::support::on_time::on_time;
use crate::support::server::{Answer, Seen, Server};

fn sample(question: &str, call: &str) -> Sample {
    let row = RawRow {
        question: Cell::Text(question.to_owned()),
        tool_call: Cell::Text(call.to_owned()),
        tool_definitions: Cell::Text(
            r#"[{"name":"get_weather","description":"Weather of a city","parameters":{"type":"object","properties":
               {"city":{"type":"string"}},"required":["city"]}}]"#
                .to_owned(),
        ),
        ..RawRow::default()
    };
    Normalizer::new(Options::default()).unwrap().sample(row).unwrap()
}

fn weather() -> Vec<Sample> {
    vec![
        sample("Weather in Oslo?", "get_weather(city='Oslo')"),
        sample("Weather in Oslo?", "get_weather(town='Oslo')"),
    ]
}

#[test]
fn samples_in_verdicts_out() {
    let labeler = Labeler::builtin(Task::ToolCalling);
    let verdicts = labeler.label_blocking(weather()).unwrap();
    assert_eq!(verdicts[1].label(), Some("incorrect"));
    assert!(verdicts[0].label() == Some("correct") || verdicts[0].is_without_evidence());
    let verdicts = labeler.decide(Decide::Always).label_blocking(weather()).unwrap();
    let labels: Vec<_> = verdicts.iter().map(|verdict| verdict.label()).collect();
    assert_eq!(labels, [Some("correct"), Some("incorrect")]);
}

#[test]
fn a_frame_comes_back_with_labels() {
    let frame = df!(
        "id" => [1_i64, 2, 3],
        "question" => [Some("Weather in Oslo?"), Some("Weather in Oslo?"), None],
        "tool_call" => ["get_weather(city='Oslo')", "get_weather(town='Oslo')", "x()"],
        "tool_definitions" => [r#"[{"name":"get_weather","parameters":{"type":"object","properties":{"city":{"type":"string"}},"required":["city"]}}]"#; 3],
    )
    .unwrap();
    let labeler = Labeler::builtin(Task::ToolCalling).decide(Decide::Always);
    let labelled = frames::label_blocking(frame.clone(), &labeler, &FrameOptions::default()).unwrap();
    assert_eq!((labelled.height(), labelled.width()), (3, frame.width() + 16));
    assert_eq!(labelled.column("id").unwrap().dtype(), &DataType::Int64);
    let labels: Vec<Option<&str>> = labelled.column("label").unwrap().str().unwrap().iter().collect();
    assert_eq!(labels, [Some("correct"), Some("incorrect"), None]);
    let statuses = labelled.column("status").unwrap();
    assert_eq!(statuses.str().unwrap().get(2), Some("invalid_row"));

    let again = frames::label_blocking(labelled, &labeler, &FrameOptions::default());
    assert!(matches!(again, Err(FrameError::Clash(name)) if name == "label"));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_cancelled_job_says_so() {
    let _on_time = on_time();
    let slow = |_: &Seen| Answer::After(Duration::from_millis(50), Box::new(Answer::label("correct")));
    let server = Arc::new(Server::start(slow));
    let labeler = model(&server);
    let cancel = CancellationToken::new();
    let many: Vec<Sample> = (0..5000).map(|n| sample(&format!("Weather in {n}?"), "get_weather()")).collect();
    let (ended, ()) = tokio::join!(labeler.label(many, &cancel), async {
        // Not on this task, which is what asks.
        tokio::task::spawn_blocking({
            let server = Arc::clone(&server);
            move || server.await_requests(1)
        })
        .await
        .unwrap();
        cancel.cancel();
    });
    assert!(matches!(ended, Err(RunError::Interrupted)));
    assert!(server.requests() < 5000);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_model_judges_samples_and_its_replies_can_be_kept() {
    let _on_time = on_time();
    let server = Server::start(|seen| {
        let wrong = seen.prompt().contains("town=");
        Answer::label(if wrong { "incorrect" } else { "correct" })
    });
    let folder = tempfile::tempdir().unwrap();
    let store = StorePlace::parse(folder.path().join("replies.sqlite")).unwrap();
    for _ in 0..2 {
        let labeler = model(&server).keep_replies(store.clone());
        let verdicts = labeler.label(weather(), &CancellationToken::new()).await.unwrap();
        assert!(matches!(&verdicts[0].outcome, Outcome::Judged { label, .. } if label == "correct"));
        assert!(matches!(&verdicts[1].outcome, Outcome::Judged { label, .. } if label == "incorrect"));
    }
    assert_eq!(server.requests(), 2);
}

fn model(server: &Server) -> Labeler {
    let endpoint = Endpoint::new(&server.url, None).unwrap();
    let target = Target {
        provider: Provider::OpenAi,
        model: "m".to_owned(),
        endpoint,
        parameters: Parameters::default(),
    };
    let judge = connect(target, Settings { max_attempts: 2, ..Settings::default() }, &[]).unwrap();
    Labeler::model(JudgeTask::new(Arc::new(judge), render::builtin(Task::ToolCalling).unwrap()))
}

/// Notes what it is told.
#[derive(Default)]
struct Notes(Mutex<Vec<String>>);

impl Observer for Notes {
    fn warning(&self, text: &str) {
        self.0.lock().unwrap().push(format!("warning: {text}"));
    }

    fn begins(&self) {
        self.0.lock().unwrap().push("begins".to_owned());
    }

    fn pass(&self, pass: Pass) -> Box<dyn Send> {
        self.0.lock().unwrap().push(format!("{} {:?}", pass.name, pass.rows));
        Box::new(())
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_job_is_watched_and_can_be_stopped() {
    let _on_time = on_time();
    let folder = tempfile::tempdir().unwrap();
    let input = folder.path().join("in.csv");
    std::fs::write(&input, "question,tool_call\nWeather in Oslo?,weather(city='Oslo')\n").unwrap();
    let settings = || LabelSettings::new([input.display().to_string()]);
    let notes = Arc::new(Notes::default());
    let control = Control { observer: Arc::clone(&notes) as Arc<dyn Observer>, ..Control::default() };
    let summary = label(settings(), &control).await.unwrap();
    assert_eq!((summary.members[0].summary.rows, summary.output.exists()), (1, true));
    std::fs::remove_file(&summary.output).unwrap();

    control.stop.gently.cancel();
    let stopped = label(settings(), &control).await.unwrap_err();
    assert!(stopped.is_interruption());
    assert_eq!(stopped.to_string(), "interrupted; nothing was written");
    assert!(!summary.output.exists());

    let told = notes.0.lock().unwrap();
    let once = &told[..told.len() / 2];
    assert!(once[0].starts_with("warning: no column holds tool definitions"), "{told:?}");
    assert_eq!(once[1..], ["begins", "judging Some(1)"]);
    assert_eq!(once, &told[told.len() / 2..]);
}
