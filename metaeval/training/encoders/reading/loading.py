"""Loads a pretrained encoder: safetensors only, no code of its authors', no network unless that is allowed."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import torch
from transformers import AutoConfig, AutoModel, AutoTokenizer
from transformers.models.auto.modeling_auto import (
    MODEL_FOR_CAUSAL_LM_MAPPING_NAMES,
    MODEL_FOR_MASKED_LM_MAPPING_NAMES,
)

from annotations.ground.errors import HLVError
from metaeval.training.encoders.folders import weights_in
from metaeval.training.encoders.reading.memory import free_bytes, told
from metaeval.training.encoders.reading.transformer import TransformerReader
from metaeval.training.errors import EncoderUnusable, NotEnoughMemory, is_out_of_memory
from metaeval.training.lessons import EncoderChoice

ADAPTER_RANK = 8
ADAPTER_SCALE = 16
ADAPTER_DROPOUT = 0.05
TRAINED_BYTES = 16
"""Of a weight that is trained, in single precision: itself, its gradient, and the two moments that AdamW keeps."""


def loaded(choice: EncoderChoice) -> TransformerReader:
    """The encoder of a choice that `Encoder.check` has found possible."""
    _check_memory(choice)
    # Weights that are not trained may stay in half precision; those that are need the small steps of single precision.
    half = choice.lora and choice.precision != "fp32" and (choice.precision == "bf16" or torch.cuda.is_available())
    options = {"trust_remote_code": False, "local_files_only": not choice.hub}
    try:
        config = AutoConfig.from_pretrained(choice.path, **options)
        if getattr(config, "is_encoder_decoder", False):
            raise EncoderUnusable(
                f"{choice.path!r} is a {config.model_type} model, which has an encoder and a decoder. "
                "Choose an encoder such as RoBERTa, or a decoder such as LLaMA."
            )
        tokenizer = AutoTokenizer.from_pretrained(choice.path, **options)
        model, report = AutoModel.from_pretrained(
            choice.path,
            config=config,
            use_safetensors=True,
            dtype=torch.bfloat16 if half else torch.float32,
            output_loading_info=True,
            **options,
        )
    except HLVError:
        raise
    except Exception as error:  # whatever transformers and its readers of files raise
        if is_out_of_memory(error):
            raise
        reason = str(error).strip().splitlines()[0] if str(error).strip() else type(error).__name__
        raise EncoderUnusable(f"The encoder {choice.path!r} cannot be loaded: {reason}", path=choice.path) from error
    _check_weights(report["missing_keys"], choice.path)
    _check_tokenizer(model, tokenizer, choice.path)
    if getattr(model, "pooler", None) is not None:
        model.pooler = None  # the output layer reads the first token itself, so this would be trained in vain
    _pad(model, tokenizer)
    if choice.lora:
        model = _adapted(model)
    decoder = _is_decoder(config.model_type)
    return TransformerReader(model, tokenizer, pooling="last" if decoder else "first", max_tokens=choice.max_tokens)


def _is_decoder(model_type: str) -> bool:
    """Whether tokens see only what is before them: the families that fill in no masks."""
    return model_type in MODEL_FOR_CAUSAL_LM_MAPPING_NAMES and model_type not in MODEL_FOR_MASKED_LM_MAPPING_NAMES


def _check_weights(absent: Iterable[str], path: str) -> None:
    """Refuse files without some of the model's weights, which transformers would draw at random."""
    needed = sorted(name for name in absent if not name.startswith("pooler."))
    if needed:
        raise EncoderUnusable(
            f"The files in {path!r} hold no {needed[0]}, so they are not this model's weights. Save it anew: "
            "model.save_pretrained(FOLDER) of transformers does so.",
            path=path,
        )


def _check_tokenizer(model: Any, tokenizer: Any, path: str) -> None:
    """Refuse what transformers makes without a word: a tokenizer that knows nothing, or one of another model."""
    words, places = len(tokenizer), model.get_input_embeddings().num_embeddings
    if words <= len(tokenizer.all_special_ids):
        raise EncoderUnusable(
            f"{path!r} has no tokenizer (such as tokenizer.json). Save it there: tokenizer.save_pretrained(FOLDER) of "
            "transformers does so.",
            path=path,
        )
    if words > places:
        raise EncoderUnusable(
            f"The tokenizer of {path!r} knows {words:,} tokens, and the model {places:,}, so they do not belong "
            "together. Save both from the same encoder.",
            path=path,
        )


def _pad(model: Any, tokenizer: Any) -> None:
    """A token to pad with, for tokenizers such as LLaMA's that have none. What is padded is never attended to."""
    if tokenizer.pad_token_id is None:
        tokenizer.pad_token = tokenizer.eos_token or tokenizer.unk_token
    if tokenizer.pad_token_id is None:
        raise EncoderUnusable("The encoder's tokenizer has no token to pad or end a text with.")
    if model.config.pad_token_id is None:
        model.config.pad_token_id = tokenizer.pad_token_id


def _adapted(model: Any) -> Any:
    from peft import LoraConfig, get_peft_model

    return get_peft_model(
        model,
        LoraConfig(
            r=ADAPTER_RANK,
            lora_alpha=ADAPTER_SCALE,
            lora_dropout=ADAPTER_DROPOUT,
            target_modules="all-linear",
            bias="none",
        ),
    )


def _check_memory(choice: EncoderChoice) -> None:
    """Refuse weights that the machine cannot hold: it would be brought down by loading them, without a word."""
    folder = Path(choice.path)
    if not folder.is_dir():
        return
    weights = weights_in(folder)
    needed, free = weights * (2 if choice.lora else TRAINED_BYTES), free_bytes(torch.device("cpu"))
    if torch.cuda.is_available():  # this is where they go; on the way, one copy lies in the machine's memory
        needed = weights * (2 if choice.lora else 4)
    if needed > free:
        raise NotEnoughMemory(
            f"The encoder {choice.path!r} has {weights:,} weights and needs at least {told(needed)} of memory to be "
            f"trained{' with LoRA' if choice.lora else ''}; {told(free)} are free. "
            f"Choose a smaller encoder{'' if choice.lora else ', or train it with LoRA'}.",
            needed=needed,
            free=free,
        )
