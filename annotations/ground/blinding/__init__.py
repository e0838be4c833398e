"""What must be the same for both sides, and what still tells them apart. Needs no Django.

`display_rule` defines how a distribution is drawn, `sides` which of two is A; `tells`, `grid_guessing` and `leaking`
measure how well somebody who sees only the two shapes could tell people from a model.
"""
