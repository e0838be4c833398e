"""The parameter for the value of 0/0."""

from typing import Literal

ZeroDivision = Literal["1", "0", "undefined"]
VALUES: dict[ZeroDivision, float] = {"1": 1.0, "0": 0.0, "undefined": float("nan")}
