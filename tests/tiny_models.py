"""Vision-language models with random weights, small enough to run anywhere; nothing is fetched."""

import json
from pathlib import Path
from typing import Any

CHATML = (
    "{% for m in messages %}<|im_start|>{{ m.role }}\n"
    "{% for c in m.content %}{% if c.type == 'text' %}{{ c.text }}{% else %}IMAGE{% endif %}"
    "{% endfor %}<|im_end|>\n{% endfor %}"
    "{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
)


def make_llava(folder: Path) -> Path:
    """Save a LLaVA of about 60,000 weights with its processor."""
    import torch
    from transformers import (
        CLIPVisionConfig,
        LlamaConfig,
        LlavaConfig,
        LlavaForConditionalGeneration,
    )

    tokenizer = _byte_tokenizer(["<image>"])
    vision = CLIPVisionConfig(
        hidden_size=16, intermediate_size=32, num_hidden_layers=2, num_attention_heads=2,
        image_size=28, patch_size=14,
    )  # fmt: skip
    text = LlamaConfig(
        vocab_size=len(tokenizer), hidden_size=16, intermediate_size=32, num_hidden_layers=2,
        num_attention_heads=2, num_key_value_heads=2, max_position_embeddings=4096,
        eos_token_id=tokenizer.eos_token_id, pad_token_id=tokenizer.pad_token_id, bos_token_id=None,
    )  # fmt: skip
    config = LlavaConfig(
        vision_config=vision,
        text_config=text,
        image_token_index=tokenizer.convert_tokens_to_ids("<image>"),
        vision_feature_layer=-1,
    )
    torch.manual_seed(0)
    LlavaForConditionalGeneration(config).save_pretrained(folder)
    processor = {
        "processor_class": "LlavaProcessor", "patch_size": 14, "num_additional_image_tokens": 1,
        "vision_feature_select_strategy": "default",
    }  # fmt: skip
    pictures = {
        "image_processor_type": "CLIPImageProcessor", "do_resize": True, "do_center_crop": True,
        "size": {"shortest_edge": 28}, "crop_size": {"height": 28, "width": 28},
    }  # fmt: skip
    _save_processor(folder, tokenizer, processor, pictures, "<image>")
    return folder


def make_qwen2_vl(folder: Path) -> Path:
    """Save a Qwen2-VL of about 100,000 weights with its processor."""
    import torch
    from transformers import Qwen2VLConfig, Qwen2VLForConditionalGeneration

    marks = ["<|vision_start|>", "<|vision_end|>", "<|image_pad|>", "<|video_pad|>"]
    tokenizer = _byte_tokenizer(marks)
    start, end, image, video = tokenizer.convert_tokens_to_ids(marks)
    config = Qwen2VLConfig(
        text_config={
            "vocab_size": len(tokenizer), "hidden_size": 32, "intermediate_size": 64,
            "num_hidden_layers": 2, "num_attention_heads": 2, "num_key_value_heads": 2,
            "max_position_embeddings": 4096, "bos_token_id": None,
            "eos_token_id": tokenizer.eos_token_id, "pad_token_id": tokenizer.pad_token_id,
            "rope_parameters": {
                "rope_type": "default", "rope_theta": 10000.0, "mrope_section": [2, 3, 3],
            },
        },
        vision_config={
            "depth": 2, "embed_dim": 32, "num_heads": 2, "hidden_size": 32, "mlp_ratio": 2,
            "patch_size": 14, "spatial_merge_size": 2, "temporal_patch_size": 2,
        },
        image_token_id=image, video_token_id=video, vision_start_token_id=start,
        vision_end_token_id=end,
    )  # fmt: skip
    torch.manual_seed(0)
    Qwen2VLForConditionalGeneration(config).save_pretrained(folder)
    pictures = {
        "image_processor_type": "Qwen2VLImageProcessor", "patch_size": 14, "merge_size": 2,
        "temporal_patch_size": 2, "min_pixels": 28 * 28, "max_pixels": 56 * 56,
    }  # fmt: skip
    mark = "<|vision_start|><|image_pad|><|vision_end|>"
    _save_processor(folder, tokenizer, {"processor_class": "Qwen2VLProcessor"}, pictures, mark)
    return folder


def _save_processor(
    folder: Path, tokenizer: Any, processor: dict[str, Any], pictures: dict[str, Any], mark: str
) -> None:
    """Save the files of a processor as published models have them."""
    tokenizer.save_pretrained(folder)
    for name, fields in (("processor_config", processor), ("preprocessor_config", pictures)):
        text = json.dumps({"processor_class": processor["processor_class"], **fields})
        (folder / f"{name}.json").write_text(text, encoding="utf-8")
    (folder / "chat_template.jinja").write_text(CHATML.replace("IMAGE", mark), encoding="utf-8")


def _byte_tokenizer(marks: list[str]) -> Any:
    """Make a tokenizer of the 256 bytes and some marks, no merges."""
    from tokenizers import Tokenizer, decoders, pre_tokenizers
    from tokenizers.models import BPE
    from transformers import PreTrainedTokenizerFast

    alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())
    plain = Tokenizer(BPE(vocab={sign: at for at, sign in enumerate(alphabet)}, merges=[]))
    plain.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    plain.decoder = decoders.ByteLevel()
    tokenizer = PreTrainedTokenizerFast(
        tokenizer_object=plain, eos_token="<|im_end|>", pad_token="<|pad|>"
    )
    tokenizer.add_special_tokens({"additional_special_tokens": ["<|im_start|>", *marks]})
    for name, mark in (
        ("image_token", "<image>"),
        ("image_token", "<|image_pad|>"),
        ("video_token", "<|video_pad|>"),
    ):
        if mark in marks:
            setattr(tokenizer, name, mark)
            setattr(tokenizer, f"{name}_id", tokenizer.convert_tokens_to_ids(mark))
    return tokenizer
