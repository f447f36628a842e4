"""Names of Phoenix that are not here, and what to do instead."""

from .._errors import SettingsError

_GATEWAY = "use a gateway that speaks OpenAI's API, such as LiteLLM's proxy: OpenAIModel(model=..., base_url=..., api_key=...)"
_OTHER_QUESTION = "tooljudge judges tool calls; of other questions, llm_classify asks the text that you give it as template"
_OF_PHOENIX_3 = "it is of Phoenix 3; for a question of your own use llm_classify here, for tool calls tooljudge.label(df, judge=...)"

# What a file may import and never use: only its use is refused.
ON_USE = {
    "BedrockModel": f"Bedrock is not asked directly; {_GATEWAY}",
    "VertexAIModel": f"Vertex AI is not asked directly; use GeminiModel(model=...) with a key of the Gemini API, or {_GATEWAY}",
    "llm_generate": "tooljudge only labels",
    "run_evals": "call llm_classify once for each template",
    "snap_to_rail": 'llm_classify(..., snap="legacy") reads replies by its rules',
    "compute_precisions_at_k": "tooljudge does not judge retrieval",
    "download_benchmark_dataset": "keep this import from phoenix.evals (arize-phoenix-evals<3)",
    **dict.fromkeys(
        [
            *("HallucinationEvaluator", "LLMEvaluator", "QAEvaluator", "RelevanceEvaluator", "SQLEvaluator"),
            *("SummarizationEvaluator", "ToxicityEvaluator"),
        ],
        "call llm_classify with its template and rails",
    ),
}

_ON_IMPORT = {
    "TOOL_CALLING_SPAN_PROMPT_TEMPLATE": "convert the spans to rows first, as tooljudge.label does with a frame of spans",
    "TOOL_CALLING_BASE_TEMPLATE": "str(TOOL_CALLING_PROMPT_TEMPLATE.template) is the text of ours",
    "TOOL_CALLING_TEMPLATE_WITH_EXPLANATION": "str(TOOL_CALLING_PROMPT_TEMPLATE.explanation_template) is the text of ours",
    # Phoenix 3.
    "LLM": "Phoenix 2's llm_classify does not take it either; use OpenAIModel(model=...), AnthropicModel(model=...) or such",
    "create_classifier": "llm_classify(data, model, template, rails=[...]) asks the same, with the choices as rails",
    "ClassificationEvaluator": "llm_classify(data, model, template, rails=[...]) asks the same, with the choices as rails",
    "evaluate_dataframe": "llm_classify and tooljudge.label take the frame themselves",
    "async_evaluate_dataframe": "await tooljudge.aio.label(df, judge=...) labels a frame, with as many requests at once as you say",
    "bind_evaluator": "tooljudge.label(df, column={'question': 'attributes.input.value'}) names the columns",
    "to_annotation_dataframe": "the index and the columns label, score and explanation of what label gives are those of annotations",
    "ToolSelectionEvaluator": "tooljudge.label(df, task='tool_selection', judge='openai:gpt-5-mini') asks it",
    "ToolInvocationEvaluator": "tooljudge.label(df, task='parameter_extraction', judge='openai:gpt-5-mini') asks it",
    "ToolResponseHandlingEvaluator": "tooljudge.label(df, task='tool_response_handling', judge='openai:gpt-5-mini') asks it",
    **dict.fromkeys(["create_evaluator", "Evaluator", "EvalInput", "KindType", "Score", "ToolSchema"], _OF_PHOENIX_3),
    **dict.fromkeys(["ConcisenessEvaluator", "CorrectnessEvaluator", "DocumentRelevanceEvaluator"], _OTHER_QUESTION),
    **dict.fromkeys(["FaithfulnessEvaluator", "RefusalEvaluator", "UserFrictionEvaluator"], _OTHER_QUESTION),
    **dict.fromkeys(["MatchesRegex", "PrecisionRecallFScore", "exact_match"], "tooljudge.score has scorers for tool calls"),
}
_TEMPLATE = (
    "keep this import from phoenix.evals (arize-phoenix-evals<3), and give it to llm_classify of tooljudge; where Phoenix 3 is "
    "installed, write the text and the rails yourself"
)


def advice(name):
    """What to do instead of the name; None if Phoenix has no such name either."""
    if name in _ON_IMPORT or name in ON_USE:
        return _ON_IMPORT.get(name) or ON_USE[name]
    is_template = name.isupper() and ("_TEMPLATE" in name or name.endswith("_RAILS_MAP"))
    return _TEMPLATE if is_template else None


def stand_in(name):
    """A class of this name, which can be imported and not be made."""

    def refuse(cls, *_, **__):
        raise SettingsError(f"tooljudge.phoenix has no {name}: {ON_USE[name]}")

    return type(name, (), {"__new__": refuse, "__doc__": f"Not here: {ON_USE[name]}.", "__module__": "tooljudge.phoenix"})
