"""A small transformer made on the spot: its tokenizer learns from the training texts, its weights begin at random."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from metaeval.training.encoders.registry import Encoder, encoder
from metaeval.training.lessons import EncoderChoice, Text

if TYPE_CHECKING:
    from metaeval.training.encoders.reading.transformer import TransformerReader

VOCABULARY = 4000
WIDTH = 64
LAYERS = 2
HEADS = 2
MARKS = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")


@encoder
class Small(Encoder):
    """Two layers of BERT, 64 wide, with about 4000 byte pairs. A byte has a token, so that no text is unknown to it."""

    name = "small"
    title = "Small transformer"
    about = (
        "Made on the spot from the training texts, in seconds and without a download. It knows no language beforehand, "
        "so its predictions are weak, but all of it is trained, so that the methods differ."
    )

    # Matrices so small gain nothing from a second thread, and the digits are the same on any number of cores.
    threads = 1

    def learning_rate(self, choice: EncoderChoice) -> float:
        return 1e-3

    def make(self, choice: EncoderChoice, texts: Sequence[Text]) -> TransformerReader:
        from transformers import BertConfig, BertModel

        from metaeval.training.encoders.reading.transformer import TransformerReader

        tokenizer = trained_tokenizer(texts, max_tokens=choice.max_tokens)
        model = BertModel(
            BertConfig(
                vocab_size=len(tokenizer),
                hidden_size=WIDTH,
                num_hidden_layers=LAYERS,
                num_attention_heads=HEADS,
                intermediate_size=4 * WIDTH,
                max_position_embeddings=choice.max_tokens,
                pad_token_id=tokenizer.pad_token_id,
                attention_probs_dropout_prob=0.0,  # which a processor computes a fifth faster
            ),
            add_pooling_layer=False,
        )
        return TransformerReader(model, tokenizer, pooling="first", max_tokens=choice.max_tokens)


def trained_tokenizer(texts: Sequence[Text], *, max_tokens: int) -> Any:
    """Byte pairs that occur in the texts at least twice, without regard to upper and lower case."""
    from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors, trainers
    from transformers import PreTrainedTokenizerFast

    made = Tokenizer(models.BPE())
    made.normalizer = normalizers.Sequence([normalizers.NFKC(), normalizers.Lowercase()])
    made.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=True)
    trainer = trainers.BpeTrainer(
        vocab_size=VOCABULARY,
        min_frequency=2,
        special_tokens=list(MARKS),
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    made.train_from_iterator(_segments(texts), trainer)
    made.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]",
        pair="[CLS] $A [SEP] $B:1 [SEP]:1",
        special_tokens=[(mark, made.token_to_id(mark)) for mark in ("[CLS]", "[SEP]")],
    )
    pad, unknown, first, separator, masked = MARKS
    return PreTrainedTokenizerFast(
        tokenizer_object=made,
        model_max_length=max_tokens,
        model_input_names=["input_ids", "token_type_ids", "attention_mask"],
        pad_token=pad,
        unk_token=unknown,
        cls_token=first,
        sep_token=separator,
        mask_token=masked,
    )


def _segments(texts: Sequence[Text]) -> Iterator[str]:
    for text in texts:
        yield from text
