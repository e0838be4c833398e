"""What a study shows of itself, to experts and on pages, in the reader's language."""
