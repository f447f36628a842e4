"""`llm_classify` in place of Phoenix's: the same frames, or an exception, or a row of the table in docs/from-phoenix.md."""

import asyncio
import doctest
import importlib
import inspect
import json
import os
import threading
import warnings
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pandas as pd
import phoenix_cases
import pytest
from conftest import ROOT
from phoenix_cases import FRAME, RAILS, TEMPLATE

import tooljudge as tj
from tooljudge import phoenix as evals

RECORDED = json.loads((Path(__file__).parent / "phoenix_recorded.json").read_text())
REQUEST = "\n\nWhatever was said above"
# Where the label is another one than Phoenix's, and why; the table in docs/from-phoenix.md.
OTHER_LABELS = {
    "not correct": "incorrect",
    "The call is not correct.": "incorrect",
    "I cannot say it is correct": "NOT_PARSABLE",
    "uncorrected value": "NOT_PARSABLE",
    "INCORRECT: the unit should be correct": "incorrect",
    '{"label": "incorrect"}': "incorrect",
    "This is incorrect. LABEL: correct": "correct",
}
pytestmark = pytest.mark.filterwarnings("ignore::tooljudge.ToolJudgeWarning")


@pytest.fixture
def peer():
    server = phoenix_cases.Server()
    yield server
    server.http.shutdown()
    server.http.server_close()


@pytest.fixture
def ask(peer):
    """`llm_classify` on the frame of the cases, with arguments of its own."""

    def ask(data=FRAME.iloc[:3], template=TEMPLATE, **more):
        settled = {"model": phoenix_cases.model(evals, peer.url), "rails": RAILS, "progress_bar_format": None}
        return evals.llm_classify(data, **{**settled, "template": template, **more})

    return ask


@pytest.mark.parametrize("name", [name for name in RECORDED if name != "no_function_calls"])
def test_frames_are_those_of_phoenix(name, peer):
    arguments, recorded = phoenix_cases.cases(evals, peer.url)[name], RECORDED[name]
    made = evals.llm_classify(**arguments)
    assert {column: str(dtype) for column, dtype in made.dtypes.items()} == recorded["columns"]
    assert [str(one) for one in made.index] == recorded["index"]
    assert all(isinstance(cell, list) for cell in made["exceptions"])
    assert (made["execution_seconds"].dropna() >= 0).all()
    # Each judge answers in the form that it was asked for, and each program has its own words for a server's failure.
    if "response" in made:
        made["response"] = [cell and json.loads(cell)["label"] for cell in made["response"]]
    for row in recorded["rows"]:
        if row.get("response"):
            row["response"] = json.loads(row["response"])["response"]
        if row["execution_status"] == "FAILED":
            assert "500" in row["exceptions"].pop()
    failed = made["execution_status"] == "FAILED"
    assert all("500" in cell.pop() for cell in made.loc[failed, "exceptions"])
    rows = json.loads(made.drop(columns="execution_seconds").to_json(orient="records"))
    assert rows == recorded["rows"]
    # Equal prompts are asked once.
    assert sorted(prompt.split(REQUEST)[0] for prompt in peer.prompts) == sorted(set(recorded["sent"]))
    assert all((REQUEST in prompt) == arguments.get("provide_explanation", False) for prompt in peer.prompts)


@pytest.mark.parametrize("snap", [None, "legacy"])
def test_labels_differ_where_the_docs_say_so(snap, peer):
    arguments = phoenix_cases.cases(evals, peer.url)["no_function_calls"]
    made = evals.llm_classify(**arguments, snap=snap)
    theirs = dict(zip(phoenix_cases.REPLIES, (row["label"] for row in RECORDED["no_function_calls"]["rows"]), strict=True))
    found = {reply: label for reply, label in zip(theirs, made["label"], strict=True) if label != theirs[reply]}
    if snap == "legacy":
        # Phoenix reads JSON by the key of its own function only.
        assert found == {'{"label": "incorrect"}': "incorrect"}
        return
    assert found == OTHER_LABELS
    text = (ROOT / "docs/from-phoenix.md").read_text()
    for reply, label in found.items():
        assert f"| `{reply}` | `{theirs[reply]}` | `{label}` |" in text


def test_the_signature_is_phoenix_s():
    names = list(inspect.signature(evals.llm_classify).parameters)
    assert names[:17] == [
        *("data", "model", "template", "rails", "data_processor", "system_instruction", "verbose"),
        *("use_function_calling_if_available", "provide_explanation", "include_prompt", "include_response", "include_exceptions"),
        *("max_retries", "exit_on_error", "run_sync", "concurrency", "progress_bar_format"),
    ]


def test_a_notebook_of_the_documentation_runs(peer, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "k")
    monkeypatch.setenv("OPENAI_BASE_URL", peer.url)
    cells = [
        "import json\nimport pandas as pd\n"
        "from tooljudge.phoenix import TOOL_PARAMETER_EXTRACTION_PROMPT_RAILS_MAP, TOOL_PARAMETER_EXTRACTION_PROMPT_TEMPLATE\n"
        "from tooljudge.phoenix import OpenAIModel, llm_classify",
        "tools = [{'name': 'book', 'parameters': {'type': 'object', 'properties': {'zip': {'pattern': '^[0-9]{4}$'}}}}]\n"
        "json_tools = json.dumps(tools)\n"
        "df_in = pd.DataFrame({'question': ['Book a room in 5003'], 'tool_call': ['book(zip=\"5003\")']}, index=[4])",
        "rails = list(TOOL_PARAMETER_EXTRACTION_PROMPT_RAILS_MAP.values())\n"
        "model = OpenAIModel(model_name='gpt-4', temperature=0.0)",
        "evaluations = llm_classify(\n    dataframe=df_in,\n"
        "    template=TOOL_PARAMETER_EXTRACTION_PROMPT_TEMPLATE.template.replace('{tool_definitions}', json_tools),\n"
        "    model=model,\n    rails=rails,\n    provide_explanation=True,\n)",
    ]
    scope = {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        for cell in cells:
            exec(cell, scope)
    made = scope["evaluations"]
    assert made.loc[4, ["label", "explanation", "execution_status"]].tolist() == ["correct", "because", "COMPLETED"]
    assert scope["json_tools"] in peer.prompts[0] and 'book(zip="5003")' in peer.prompts[0]
    assert peer.bodies[0]["model"] == "gpt-4" and peer.bodies[0]["headers"]["authorization"] == "Bearer k"


@pytest.mark.parametrize("task", ["tool_calling", "tool_selection", "parameter_extraction"])
def test_our_templates_are_texts_with_values(task, ask, peer):
    name = task.upper()
    template, rails = getattr(evals, f"TOOL_{name.removeprefix('TOOL_')}_PROMPT_TEMPLATE"), RAILS
    assert sorted(template.variables) == ["question", "tool_call", "tool_definitions"]
    frame = pd.DataFrame({"question": ["q?"], "tool_call": ["call-of-it"], "tool_definitions": ["its-definition"]})
    for explained in (False, True):
        made = ask(frame, template, rails=rails, provide_explanation=explained)
        assert made["label"].tolist() == ["correct"]
    for text in map(str, [template.template, template.explanation_template]):
        assert "{%" not in text and "{{" not in text and '"begin"' not in text
    assert "call-of-it" in peer.prompts[0] and '"explanation"' in peer.prompts[1] and '"explanation"' not in peer.prompts[0]
    assert template.template[0].template.replace("{question}", "x") == template.template.replace("{question}", "x")
    assert (template.template + "!").endswith("!")


@pytest.mark.parametrize(
    "template, words",
    [
        ("{qestion} {tool_call}", "no row has `qestion`.*columns are end, question, tool_call"),
        ("{input} {tool_call}", r"no row has `input`.*If it is plain text, .*delimiters"),
        ("{{question}} {tool_call}", r"`\{\{question\}\}`.*write \{question\}"),
        ("{question!r}", "format the column before"),
        ("{question:>10} {tool_call}", "format the column before"),
        ("nothing", "shows nothing of a row"),
        ("{4}", "shows nothing of a row"),
        (evals.ClassificationTemplate(RAILS, "<question>", delimiters=("<<", ">>")), "between its delimiters"),
        (evals.PromptTemplate([evals.PromptPartTemplate(evals.PromptPartContentType.AUDIO, "{a}")]), "texts only"),
        (5, "neither a text nor"),
    ],
)
def test_templates_that_cannot_be_filled_raise(template, words, ask, peer):
    with pytest.raises((tj.InputError, tj.SettingsError), match=words):
        ask(template=template)
    assert not peer.bodies


def test_a_template_names_a_column_of_spans_by_a_part_of_it(ask):
    frame = pd.DataFrame({"attributes.input.value": ["x"], "attributes.output.value": ["y"]})
    with pytest.raises(tj.InputError, match=r"no row has `input`.*`attributes.input.value` may be meant: write \{attributes.input"):
        ask(frame, "{input} correct or incorrect")


def test_braces_that_phoenix_cannot_read_are_text(ask, peer):
    ask(FRAME.iloc[:1], '{"a": {"b": {}}} [0-9]{4} {2,3} {question} {question\n} ANSWER\n{end}')
    assert peer.prompts == ['{"a": {"b": {}}} [0-9]{4} {2,3} Book a table {question\n} ANSWER\nANSWER correct']


def test_values_are_filled_in_once_between_any_delimiters(ask, peer):
    frame = pd.DataFrame({"a": ["<<b>>"], "b": ["ANSWER correct"]})
    for template in (
        evals.ClassificationTemplate(RAILS, "<<a>>\n<<b>>", delimiters=("<<", ">>")),
        evals.PromptTemplate("<<a>>\n<<b>>", delimiters=("<<", ">>")),
    ):
        ask(frame, template)
    assert set(peer.prompts) == {"<<b>>\nANSWER correct"}


@pytest.mark.parametrize(
    "arguments, words",
    [
        ({"progress_bar_format": "x"}, "leave it out"),
        ({"use_function_calling_if_available": False}, "leave the argument out"),
        ({"rails": {True: "correct"}}, r"list\(MAP.values\(\)\)"),
        ({"rails": "correct"}, "list of texts"),
        ({"rails": [True, False]}, "True cannot be a label"),
        ({"rails": ["yes, fully", "no"]}, "without commas"),
        ({"model": object()}, "use one of OpenAIModel"),
        ({"model": "builtin"}, r"tooljudge.label\(df"),
        ({"model": "gpt-4"}, "openai:gpt-4"),
        ({"model": type("BedrockModel", (), {})()}, "gateway"),
        ({"model": evals.OpenAIModel(n=2)}, "votes=3"),
        ({"model": evals.OpenAIModel(request_timeout=(1, 2))}, "one number"),
        ({"model": evals.OpenAIModel(azure_endpoint="https://a.example", azure_ad_token="t")}, "sends a token"),
        ({"model": evals.OpenAIModel(default_headers={"x": "${HOME}"})}, "settings file"),
        ({"model": evals.OpenAIModel(model_kwargs={"x": object()})}, "object cannot be sent"),
        ({"model": evals.GeminiModel(project="p")}, "GEMINI_API_KEY"),
        ({"model": evals.GoogleGenAIModel(vertexai=True)}, "GEMINI_API_KEY"),
        ({"model": evals.LiteLLMModel(model="bedrock/x")}, "LiteLLM's proxy"),
        ({"model": evals.LiteLLMModel(model="command-r")}, "LiteLLM's proxy"),
        ({"model": evals.MistralAIModel(response_format={"type": "json_object"})}, "leave it out"),
        ({"model": evals.AnthropicModel(max_content_size=5)}, "sent whole"),
        (
            {
                "model": evals.AnthropicModel(),
                "provide_explanation": True,
                "template": evals.ClassificationTemplate(RAILS, TEMPLATE, explanation_label_parser=str),
            },
            "without a parser",
        ),
        ({"data": "calls.csv"}, "neither a pandas frame nor a list"),
    ],
)
def test_what_cannot_be_honoured_raises(arguments, words, ask, peer):
    with pytest.raises((tj.SettingsError, tj.InputError), match=words):
        ask(**arguments)
    assert not peer.bodies


@pytest.mark.parametrize("arguments, words", [({"data": None}, "'data'"), ({"nope": 1}, "'nope'"), ({"task": "x"}, "'task'")])
def test_arguments_are_checked(arguments, words, ask):
    with pytest.raises(TypeError, match=words):
        ask(**arguments)


# What public files import from Phoenix, by module, and a word of what they read then.
ABSENT = {
    "tooljudge.phoenix": {
        "RAG_RELEVANCY_PROMPT_TEMPLATE": "phoenix.evals .arize-phoenix-evals<3",
        "RAG_RELEVANCY_PROMPT_RAILS_MAP": "phoenix.evals .arize-phoenix-evals<3",
        "HALLUCINATION_PROMPT_TEMPLATE_WITH_EXPLANATION": "arize-phoenix-evals<3",
        "TOOL_CALLING_SPAN_PROMPT_TEMPLATE": "a frame of spans",
        "LLM": "OpenAIModel",
        "create_classifier": "llm_classify",
        "ClassificationEvaluator": "llm_classify",
        "evaluate_dataframe": "tooljudge.label",
        "async_evaluate_dataframe": "tooljudge.aio.label",
        "bind_evaluator": "column=",
    },
    "tooljudge.phoenix.default_templates": {"QA_PROMPT_TEMPLATE": "arize-phoenix-evals<3"},
    "tooljudge.phoenix.evaluators": {"create_classifier": "llm_classify", "ClassificationEvaluator": "llm_classify"},
    "tooljudge.phoenix.legacy": {"RAG_RELEVANCY_PROMPT_TEMPLATE": "arize-phoenix-evals<3"},
    "tooljudge.phoenix.llm": {"LLM": "OpenAIModel"},
    "tooljudge.phoenix.metrics": {
        "ToolSelectionEvaluator": "task='tool_selection'",
        "ToolInvocationEvaluator": "task='parameter_extraction'",
        "ToolResponseHandlingEvaluator": "task='tool_response_handling'",
        "FaithfulnessEvaluator": "llm_classify",
    },
    "tooljudge.phoenix.utils": {"to_annotation_dataframe": "the index and the columns"},
}


@pytest.mark.parametrize("module, name, words", [(module, *one) for module, names in ABSENT.items() for one in names.items()])
def test_what_is_absent_says_what_to_do(module, name, words):
    with pytest.raises(ImportError, match=f"no {name}: .*{words}"):
        exec(f"from {module} import {name}")


USED = ["BedrockModel", "VertexAIModel", "run_evals", "llm_generate", "QAEvaluator", "snap_to_rail"]


@pytest.mark.parametrize("name", USED)
def test_what_is_imported_and_absent_is_refused_when_it_is_used(name):
    scope = {}
    exec(f"from tooljudge.phoenix import {name}, llm_classify", scope)
    # Files ask what kind of model they have.
    assert not isinstance(evals.OpenAIModel(), scope[name]) and scope[name] is getattr(evals, name)
    with pytest.raises(tj.SettingsError, match=f"no {name}: "):
        scope[name](model="x")


def test_modules_of_phoenix_have_what_is_here():
    from tooljudge.phoenix.default_templates import TOOL_CALLING_PROMPT_RAILS_MAP, TOOL_CALLING_PROMPT_TEMPLATE
    from tooljudge.phoenix.models import BedrockModel, OpenAIModel
    from tooljudge.phoenix.utils import NOT_PARSABLE, snap_to_rail

    for module in ("classify", "default_templates", "evaluators", "legacy", "llm", "metrics", "models", "templates", "utils"):
        module = importlib.import_module(f"tooljudge.phoenix.{module}")
        assert all(getattr(module, name) is getattr(evals, name) for name in module.__all__)
    assert OpenAIModel is evals.OpenAIModel and BedrockModel is evals.BedrockModel
    assert TOOL_CALLING_PROMPT_TEMPLATE is evals.TOOL_CALLING_PROMPT_TEMPLATE and NOT_PARSABLE == evals.NOT_PARSABLE
    assert TOOL_CALLING_PROMPT_RAILS_MAP == {True: "correct", False: "incorrect"} and snap_to_rail is evals.snap_to_rail
    # A slip is one.
    assert not hasattr(evals, "llm_clasify") and not hasattr(evals, "__wrapped__")
    with pytest.raises(AttributeError, match="llm_classify with its models"):
        evals.llm_clasify  # noqa: B018


def test_parameters_of_a_model_are_sent(ask, peer):
    model = phoenix_cases.model(
        evals,
        peer.url,
        temperature=0.5,
        max_tokens=77,
        top_p=0.25,
        frequency_penalty=1,
        organization="org",
        default_headers={"X-Team": 'a "b"'},
        model_kwargs={"metadata": {"a": [1, "ü"], "b": True}},
    )
    ask(FRAME.iloc[:1], model=model, system_instruction="Be strict.")
    (body,) = peer.bodies
    assert (body["temperature"], body["top_p"], body["frequency_penalty"]) == (0.5, 0.25, 1)
    assert 77 in (body.get("max_tokens"), body.get("max_completion_tokens"))
    assert body["metadata"] == {"a": [1, "ü"], "b": True}
    headers = {name.lower(): value for name, value in body["headers"].items()}
    assert (headers["x-team"], headers["openai-organization"], headers["authorization"]) == ('a "b"', "org", "Bearer k")
    assert peer.prompts[0].startswith("Be strict.\n\nQuestion: Book a table\n")


def test_an_azure_deployment_is_asked(ask, peer):
    azure = {
        "azure_endpoint": peer.url.removesuffix("/v1"),
        "azure_deployment": "mine",
        "api_version": "2024-10-21",
        "api_key": "z",
    }
    assert ask(FRAME.iloc[:1], model=evals.OpenAIModel(model="gpt-4o", **azure))["label"].tolist() == ["correct"]
    assert peer.bodies[0]["path"] == "/openai/deployments/mine/chat/completions?api-version=2024-10-21"
    assert {name.lower(): value for name, value in peer.bodies[0]["headers"].items()}["api-key"] == "z"


def test_models_are_known_by_their_attributes(ask, peer, monkeypatch):
    theirs = {**vars(evals.OpenAIModel(model="m", api_key="k", base_url=peer.url)), "_client": object()}
    made = ask(FRAME.iloc[:1], model=type("OpenAIModel", (SimpleNamespace,), {})(**theirs))
    assert made["label"].tolist() == ["correct"]
    monkeypatch.setenv("OPENAI_API_KEY", "k")
    assert ask(FRAME.iloc[:1], model="openai:m", base_url=peer.url)["label"].tolist() == ["correct"]


@pytest.mark.parametrize(
    "model, name, options",
    [
        (evals.AnthropicModel(model="claude"), "anthropic:claude", {"temperature": 0.0, "max_tokens": 1024, "timeout": 120}),
        (evals.GeminiModel(model="g"), "gemini:g", {"temperature": 0.0, "max_tokens": 1024, "timeout": 120}),
        (evals.GoogleGenAIModel(model="g"), "gemini:g", {}),
        (evals.LiteLLMModel(model="gpt-4o"), "openai:gpt-4o", {"temperature": 0.0, "max_tokens": 1024, "timeout": 60}),
        (evals.LiteLLMModel(model="anthropic/c"), "anthropic:c", {"temperature": 0.0, "max_tokens": 1024, "timeout": 60}),
        (evals.LiteLLMModel(model="hosted_vllm/a/b"), "vllm:a/b", {"temperature": 0.0, "max_tokens": 1024, "timeout": 60}),
        (
            evals.MistralAIModel(model="s", initial_rate_limit=2),
            "openai:s",
            {"temperature": 0, "timeout": 120, "base_url": "https://api.mistral.ai/v1", "rpm": 120},
        ),
    ],
)
def test_models_are_judges(model, name, options):
    from tooljudge.phoenix._models import judge_of

    judge = judge_of(model)
    assert (judge.name, judge.options, judge.concurrency) == (name, options, model.default_concurrency)


def test_a_settings_file_is_not_passed_over(ask, peer):
    for name, value in (("limit", "1"), ("explain", "true"), ("task", '["tool_selection"]')):
        Path("tooljudge.toml").write_text(f"[label]\n{name} = {value}\n")
        with pytest.raises(tj.SettingsError, match=f"sets {name} under .label.*config="):
            ask()
    assert not peer.bodies
    Path("tooljudge.toml").write_text("[label]\njudge = 'builtin'\nfresh = true\n")
    assert ask()["label"].tolist() == ["correct", "incorrect", "correct"]
    with pytest.raises(tj.SettingsError, match="name the judge"):
        ask(model=phoenix_cases.model(evals, peer.url, top_p=0.5))


def test_replies_are_kept_unless_told_otherwise(ask, peer):
    first = ask()
    again = ask()
    assert len(peer.bodies) == 3
    pd.testing.assert_frame_equal(first, again)
    ask(fresh=True)
    assert len(peer.bodies) == 6
    ask(store=False)
    assert len(peer.bodies) == 9
    ask(store="mine.sqlite")
    assert len(peer.bodies) == 12 and Path("mine.sqlite").exists()


def test_keys_do_not_get_into_the_environment(ask):
    before = dict(os.environ)
    ask()
    assert dict(os.environ) == before


def test_a_key_that_ends_midway_leaves_what_came(ask, peer):
    frame, peer.serves = pd.DataFrame({"n": range(6)}), 3
    with pytest.warns(tj.ToolJudgeWarning, match="ended early"):
        made = ask(frame, "{n} correct or incorrect", run_sync=True)
    answered = made["execution_status"] == "COMPLETED"
    assert made.loc[answered, "label"].tolist() == ["correct"] * 3
    assert made.loc[~answered, "label"].isna().all()
    assert made.loc[~answered, "execution_status"].tolist() == ["FAILED", "DID NOT RUN", "DID NOT RUN"]
    assert [bool(cell) and "401" in cell[0] for cell in made.loc[~answered, "exceptions"]] == [True, False, False]
    with pytest.raises(tj.JudgeError, match="401"):
        ask(frame.loc[~answered], "{n} correct or incorrect")
    with pytest.raises(tj.JudgeError, match="401"):
        ask(frame, "{n} correct or incorrect", fresh=True)
    peer.serves = float("inf")
    assert ask(frame, "{n} correct or incorrect")["label"].tolist() == ["correct"] * 6


def test_attempts_that_failed_are_counted(ask, peer):
    peer.breaks = 1
    made = ask(FRAME.iloc[:1], include_response=True)
    assert made["execution_status"].tolist() == ["COMPLETED WITH RETRIES"]
    assert made["exceptions"].tolist() == [["attempt 1 failed"]]
    assert made["label"].tolist() == ["correct"]


def test_a_refusal_by_a_filter_is_no_label(ask, peer):
    peer.filters = True
    made = ask(FRAME.iloc[:1], include_response=True)
    assert made["label"].isna().all() and made["execution_status"].tolist() == ["FAILED"]
    assert "filter" in made["exceptions"].iloc[0][0]


def test_the_example_holds():
    assert doctest.testmod(evals).failed == 0


def test_a_budget_leaves_rows_that_did_not_run(ask, peer):
    Path("tooljudge.toml").write_text('[prices."openai:gpt-4o"]\ninput = 1000.0\noutput = 1000.0\n')
    model = phoenix_cases.model(evals, peer.url, max_tokens=10)
    with pytest.warns(tj.ToolJudgeWarning, match="skipped_budget"):
        made = ask(model=model, max_cost=0.0001)
    assert made["execution_status"].tolist() == ["DID NOT RUN"] * 3 and made["label"].isna().all()
    assert not peer.bodies


def test_processors_may_be_asynchronous_and_may_fail(ask, peer):
    async def later(row):
        await asyncio.sleep(0)
        if row["question"].startswith("Größe"):
            raise ValueError("no size")
        return row

    frame = FRAME.iloc[[0, 2, 1]]
    made = ask(frame, data_processor=later)
    assert made["execution_status"].tolist() == ["COMPLETED", "FAILED", "DID NOT RUN"]
    assert made["exceptions"].tolist() == [[], ["ValueError('no size')"], []]
    made = ask(frame, data_processor=later, exit_on_error=False)
    assert made["label"].fillna("").tolist() == ["correct", "", "incorrect"]


def test_lists_of_dicts_are_mapped_by_name(ask, peer):
    rows = FRAME.iloc[:2].to_dict("records")
    assert ask(rows)["label"].tolist() == ["correct", "incorrect"]
    assert peer.prompts[0].startswith("Question: Book")
    ask([{"question": "alone"}], "{question} correct or incorrect")
    assert peer.prompts[-1] == "alone correct or incorrect"


def test_nothing_is_asked_of_an_empty_frame(ask, peer):
    for empty in (FRAME.iloc[:0], []):
        made = ask(empty, provide_explanation=True)
        assert len(made) == 0 and list(made.columns)[:3] == ["label", "explanation", "exceptions"]
    assert not peer.bodies


def test_it_runs_where_an_event_loop_runs(ask, peer):
    async def notebook():
        return ask()

    made = asyncio.run(notebook())
    assert made["label"].tolist() == ["correct", "incorrect", "correct"]
    found = []
    thread = threading.Thread(target=lambda: found.append(ask(store=False)))
    thread.start()
    thread.join()
    assert found[0]["label"].tolist() == made["label"].tolist()


def test_verbose_prints_and_the_frame_given_stays(ask, capsys):
    before = FRAME.copy(deep=True)
    ask(FRAME, verbose=True)
    said = capsys.readouterr().out
    assert "openai:gpt-4o" in said and "Question: Book a table" in said and "I cannot tell." in said
    pd.testing.assert_frame_equal(FRAME, before)
    assert np.array_equal(FRAME.index, ["b", "a", "a", "c", "d"])
