"""What 0/0 counts as, as a parameter."""

from typing import Literal

ZeroDivision = Literal["1", "0", "undefined"]
VALUES: dict[ZeroDivision, float] = {"1": 1.0, "0": 0.0, "undefined": float("nan")}
