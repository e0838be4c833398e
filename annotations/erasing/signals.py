"""What others must know while something is erased. Sent inside the transaction, before the rows are deleted."""

from django.dispatch import Signal

answers_go = Signal()
"""Sent with `experts`: the memberships whose answers are erased. Also sent with `instance=None`."""

texts_go = Signal()
"""Sent with `instance`: the text that is erased, before it is."""
