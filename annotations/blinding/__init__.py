"""What must be the same for both sides, and what tells them apart all the same. Needs no Django.

`display_rule` says what is drawn of a distribution, `sides` which of two is A; `tells`, `grid_guessing` and `leaking`
say how well somebody who sees only the two shapes could tell people from a model.
"""
