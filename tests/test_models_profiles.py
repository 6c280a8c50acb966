"""Shipped profiles cover the models of the papers; the user's own wins."""

from pathlib import Path

import pytest

from earthexam.core.errors import FormatError, MissingFileError
from earthexam.models.profiles import Profile, find_profile, profile_from_run, shipped_profiles
from earthexam.published.tables import load_results, result_names

# Serving names of the models that the three papers test, and the family each belongs to.
TESTED = {
    "openai/gpt-4o-2024-11-20": "GPT",
    "openai/gpt-4o-mini": "GPT",
    "openai/gpt-5-chat-latest": "GPT",
    "openai/gpt-5.4-mini": "GPT",
    "gemini/gemini-2.0-flash": "Gemini",
    "gemini/gemini-2.5-pro": "Gemini",
    "gemini/gemini-3.1-pro-preview": "Gemini",
    "anthropic/claude-3-5-haiku-20241022": "Claude",
    "anthropic/claude-3-7-sonnet-20250219": "Claude",
    "anthropic/claude-opus-4-6": "Claude",
    "openrouter/anthropic/claude-sonnet-4.6": "Claude",
    "xai/grok-4": "Grok",
    "vllm/Qwen/Qwen2.5-VL-7B-Instruct": "Qwen2.5-VL",
    "vllm/Qwen/Qwen2.5-VL-72B-Instruct": "Qwen2.5-VL",
    "vllm/Qwen/Qwen3-VL-4B-Instruct": "Qwen3-VL",
    "vllm/OpenGVLab/InternVL2-8B": "InternVL2",
    "vllm/OpenGVLab/InternVL3-14B": "InternVL3",
    "vllm/OpenGVLab/InternVL3-78B": "InternVL3",
    "vllm/OpenGVLab/InternVL3_5-14B": "InternVL3.5",
    "hf/llava-hf/llava-1.5-7b-hf": "LLaVA-1.5",
    "hf/llava-hf/llava-v1.6-vicuna-13b-hf": "LLaVA-NeXT",
    "hf/llava-hf/llama3-llava-next-8b-hf": "LLaVA-NeXT",
    "hf/llava-hf/llava-onevision-qwen2-7b-ov-hf": "LLaVA-OneVision",
    "vllm/deepseek-ai/deepseek-vl2-small": "DeepSeek-VL2",
    "vllm/moonshotai/Kimi-VL-A3B-Instruct": "Kimi-VL",
    "vllm/zai-org/GLM-4.5V": "GLM-V",
    "vllm/zai-org/GLM-4.6V-Flash": "GLM-V",
    "vllm/nvidia/Llama-3.1-Nemotron-Nano-VL-8B-V1": "Nemotron-Nano-VL",
    "vllm/meta-llama/Llama-3.2-11B-Vision-Instruct": "Llama",
    "vllm/internlm/internlm-xcomposer2d5-7b": "InternLM-XComposer-2.5",
    "vllm/geochat-7B": "GeoChat",
    "vllm/GeoLLaVA-8K": "GeoLLaVA-8K",
    "vllm/VHM_7B": "VHM",
    "vllm/ScoreRS": "ScoreRS",
}


@pytest.mark.parametrize(("model", "family"), TESTED.items())
def test_every_model_of_the_papers_has_a_profile(model: str, family: str) -> None:
    profile = find_profile(model)
    assert profile.family == family
    assert profile.serve
    assert profile.vendor
    assert profile.weights in {"open", "closed"}
    assert profile.released


def test_the_families_of_the_published_tables_are_covered() -> None:
    names = {score.model for name in result_names() for score in load_results(name)}
    families = ("gpt", "gemini", "claude", "grok", "qwen2.5", "qwen3", "internvl", "llava",
                "deepseek", "kimi", "glm", "nemotron", "geochat", "geollava", "internlm",
                "scorers", "random", "experts", "avg", "best", "vhm", "llama")  # fmt: skip
    unknown = [name for name in names if not any(f in name.lower() for f in families)]
    assert not unknown


# The conventions that the literature and the projects' own threads report for each family.
@pytest.mark.parametrize(
    ("model", "convention", "order"),
    [
        ("hf/Qwen/Qwen2-VL-7B-Instruct", "0-1000", "xyxy"),
        ("hf/Qwen/Qwen2.5-VL-7B-Instruct", "pixels", "xyxy"),
        ("hf/Qwen/Qwen3-VL-8B-Instruct", "0-1000", "xyxy"),
        ("vllm/OpenGVLab/InternVL3-8B", "0-1000", "xyxy"),
        ("vllm/geochat-7B", "0-100", "xyxy"),
        ("gemini/gemini-2.5-flash", "0-1000", "yxyx"),
        ("hf/llava-hf/llava-1.5-7b-hf", "unit", "xyxy"),
    ],
)
def test_coordinates_are_declared_by_family(model: str, convention: str, order: str) -> None:
    profile = find_profile(model)
    assert (profile.convention, profile.order) == (convention, order)


def test_a_variant_refines_its_family() -> None:
    assert find_profile("vllm/Qwen/Qwen2.5-VL-72B-Instruct").parameters_billion == 73.4
    assert find_profile("openai/gpt-4o-mini").input_usd == 0.15
    assert find_profile("openai/gpt-5").parameters == ()


def test_an_unknown_model_has_the_defaults() -> None:
    assert find_profile("vllm/nobody/knows-this") == Profile()


def test_the_users_own_file_wins_field_by_field(tmp_path: Path) -> None:
    own = tmp_path / "mine.toml"
    own.write_text('convention = "unit"\ninput_usd = 1\noutput_usd = 2\n')
    profile = find_profile("gemini/gemini-2.5-pro", own)
    assert (profile.convention, profile.order) == ("unit", "yxyx")
    assert profile.usd(1_000_000, 500_000) == 2.0
    assert profile.name == "mine.toml"


def test_a_wrong_field_is_named(tmp_path: Path) -> None:
    own = tmp_path / "mine.toml"
    own.write_text('convention = "0-999"\n')
    with pytest.raises(FormatError, match="convention"):
        find_profile("x/y", own)
    own.write_text("convntion = 1\n")
    with pytest.raises(FormatError, match="convntion"):
        find_profile("x/y", own)
    own.write_text('variant = "large"\n')
    with pytest.raises(FormatError, match=r"expected tables under \[\[variant\]\]"):
        find_profile("x/y", own)
    own.write_text('[[variant]]\nmatch = ["y"]\nmost_pixels = "many"\n')
    with pytest.raises(FormatError, match=r"variant 1: most_pixels"):
        find_profile("x/y", own)
    own.write_text('name = "other"\n')
    with pytest.raises(FormatError, match="called after its file"):
        find_profile("x/y", own)
    with pytest.raises(MissingFileError, match=r"lost\.toml"):
        find_profile("x/y", tmp_path / "lost.toml")


def test_a_profile_survives_the_run_file() -> None:
    stored = {"convention": "unit", "reasoning_tags": ["<a>", "</a>"], "later_field": 1}
    assert profile_from_run(stored) == Profile(convention="unit", reasoning_tags=("<a>", "</a>"))


def test_shipped_profiles_with_a_price_say_when_it_was_noted() -> None:
    assert all(profile.priced for profile in shipped_profiles() if profile.has_price)
