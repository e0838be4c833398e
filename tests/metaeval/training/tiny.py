"""Tiny encoders in folders, in the format of Hugging Face. Needs torch and transformers."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from metaeval.training.encoders.registry import encoders
from metaeval.training.lessons import EncoderChoice
from tests.metaeval.training.needing import Imported
from tests.metaeval.training.taught import FILLING, texts_of

torch = Imported("torch")
transformers = Imported("transformers")
tokenizers = Imported("tokenizers")

SIZES: dict[str, Any] = {
    "hidden_size": 16,
    "num_hidden_layers": 1,
    "num_attention_heads": 2,
    "intermediate_size": 32,
}


def small(folder: Path, *, max_tokens: int = 64) -> Path:
    """The small encoder, saved."""
    torch.manual_seed(0)
    encoders.get("small").make(EncoderChoice(max_tokens=max_tokens), texts_of(20)).save(folder)
    return folder


def roberta(folder: Path) -> Path:
    """With places for 18 tokens beside the two numbers that RoBERTa skips."""
    tokenizer = _words("<s>", "<pad>", "</s>", "<unk>")
    tokenizer.save_pretrained(folder)
    torch.manual_seed(0)
    config = transformers.RobertaConfig(vocab_size=len(tokenizer), max_position_embeddings=20, pad_token_id=1, **SIZES)
    transformers.RobertaModel(config).save_pretrained(folder)
    return folder


def llama(folder: Path) -> Path:
    """Of LLaMA's kind: tokens see only what is before them, and there is no token to pad with."""
    tokenizer = _words("<s>", None, "</s>", "<unk>")
    tokenizer.save_pretrained(folder)
    torch.manual_seed(0)
    config = transformers.LlamaConfig(
        vocab_size=len(tokenizer), max_position_embeddings=64, num_key_value_heads=2, **SIZES
    )
    transformers.LlamaModel(config).save_pretrained(folder)
    return folder


def _words(first: str, pad: str | None, last: str, unknown: str) -> Any:
    marks = [mark for mark in (first, pad, last, unknown) if mark]
    vocabulary = {word: number for number, word in enumerate([*marks, *FILLING, "good", "bad"])}
    made = tokenizers.Tokenizer(tokenizers.models.WordLevel(vocabulary, unk_token=unknown))
    made.pre_tokenizer = tokenizers.pre_tokenizers.WhitespaceSplit()
    pair = f"{first} $A {last} {last} $B {last}" if pad else f"{first} $A {first} $B"
    made.post_processor = tokenizers.processors.TemplateProcessing(
        single=f"{first} $A {last}" if pad else f"{first} $A",
        pair=pair,
        special_tokens=[(first, vocabulary[first]), (last, vocabulary[last])],
    )
    return transformers.PreTrainedTokenizerFast(
        tokenizer_object=made,
        bos_token=first,
        eos_token=last,
        unk_token=unknown,
        pad_token=pad,
        cls_token=first if pad else None,
        sep_token=last if pad else None,
        model_input_names=["input_ids", "attention_mask"],
    )
