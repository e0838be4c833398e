"""What an expert's assignments come to, kept with the expert so that no request counts them again.

An answer reads the tally under the expert's lock, changes it, and stores it last, in its own transaction. Every other
change of an assignment empties it (triggers, migration 0101), whoever makes it, and the next request counts anew. So
a tally is either missing or exactly what `counted` says.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Self

from annotations.answering.progress import PACE_OF, Past, history, saved_at
from annotations.blinding.sides import lead_of, order_of_names
from annotations.models import Assignment, Compares, Membership, SideOrder

SHAPE = 2
"""The version of a stored tally. One of another version is counted anew."""
MANY = 200
"""From so many texts on, an expert does not look through all places again for each."""
LOOKS_AGAIN = 16
"""After so many texts they do, because places may have been given back."""


@dataclass(slots=True)
class Assured:
    """What the pool was once seen to hold for this expert: at least `possible` texts, counting those they had kept.

    Since then, whoever took the highest free place of a comparison can have cost them one text at most; nothing else
    can, unless the study's `pool_version` has changed.
    """

    possible: int
    version: int
    taken: int
    """How often everybody else had done that."""

    def still(self, *, version: int, taken: int) -> int:
        """The number of texts that are still assured."""
        return self.possible - (taken - self.taken) if version == self.version else 0


@dataclass(slots=True)
class ExpertTally:
    """Numbers about one expert's assignments; "counts" is as in `Past`."""

    done: int = 0
    """Those that count and are answered."""
    once: int = 0
    """The same, without repeats."""
    given: int = 0
    """Those that count and are not answered, without repeats."""
    begun: int = 0
    """Those among them that the expert was handed."""
    again: int = 0
    """Repeats that count and are not answered."""
    repeats: int = 0
    """Repeats ever handed out."""
    position: int = 0
    """The place of the next one in the expert's order."""
    times: list[list[int]] = field(default_factory=list)
    """Position and active milliseconds of the newest, in the expert's order."""
    saved: str | None = None
    """When the newest answer was stored."""
    turns: dict[str, list[int]] = field(default_factory=dict)
    """Phase -> the number of the next turn, and by how much "the first is A" leads."""
    pool: list[int] | None = None
    """`Assured`."""
    since: list[int] | None = None
    """The place that was found last (number, comparison), and `position` when all were looked through."""

    @classmethod
    def of(cls, expert: Membership) -> Self:
        """The expert's tally; counted if it is not stored. The caller holds their lock, or only reads."""
        stored = expert.tally
        if isinstance(stored, Mapping) and stored.get("shape") == SHAPE:
            return cls(**{name: value for name, value in stored.items() if name != "shape"})
        return cls.counted(expert)

    @classmethod
    def counted(cls, expert: Membership) -> Self:
        """The same, from the expert's assignments. `expert` is loaded with their study."""
        return cls.summed(expert, history(expert))

    @classmethod
    def summed(cls, expert: Membership, past: Sequence[Past]) -> Self:
        """The same, from an expert's `history`."""
        open_ones = [one for one in past if one.is_unfinished]
        saved = saved_at(past)
        return cls(
            done=sum(one.counts and one.is_completed for one in past),
            once=sum(one.is_first_time and one.is_completed for one in past),
            given=sum(one.repeat_of is None for one in open_ones),
            begun=sum(one.repeat_of is None and one.claimed_at is not None for one in open_ones),
            again=sum(one.repeat_of is not None for one in open_ones),
            repeats=sum(one.repeat_of is not None for one in past),
            position=max((one.position for one in past), default=-1) + 1,
            times=[[one.position, one.milliseconds] for one in past if one.milliseconds is not None][-PACE_OF:],
            saved=saved.isoformat() if saved else None,
            turns=_turns(expert),
        )

    @property
    def stored(self) -> dict[str, Any]:
        """As it is stored with the expert. `asdict` would say the same, at ten times the cost, with every answer."""
        told = {name: getattr(self, name) for name in self.__slots__}
        return {"shape": SHAPE, **told, "times": [*self.times], "turns": {**self.turns}}

    @property
    def kept(self) -> int:
        """How many different texts count."""
        return self.once + self.given

    @property
    def saved_at(self) -> datetime | None:
        return datetime.fromisoformat(self.saved) if self.saved else None

    @property
    def assured(self) -> Assured | None:
        return Assured(*self.pool) if self.pool else None

    def assure(self, seen: Assured) -> None:
        self.pool = [seen.possible, seen.version, seen.taken]

    @property
    def looks_since(self) -> tuple[int, int] | None:
        """Where to begin to look for a free place; None: with the lowest.

        All free places before it were of texts that the expert has had, perhaps thousands. One that was given back
        since then waits for another expert, or for at most `LOOKS_AGAIN` texts of this one.
        """
        if self.since is None or self.position - self.since[2] >= LOOKS_AGAIN:
            return None
        return self.since[0], self.since[1]

    def looked(self, found: tuple[int, int], *, since: tuple[int, int] | None) -> None:
        """A free place was found; `since` is where the look began. Comes before `handed`."""
        if self.kept < MANY:
            self.since = None
        elif since is None or self.since is None:
            self.since = [*found, self.position]
        elif found >= since:  # else it was found from the lowest, because there was no more here
            self.since[:2] = found

    def handed(self, *, repeat: bool = False, is_new: bool = True) -> None:
        """An assignment was handed to the expert; `is_new` unless it was given to them by name before."""
        if repeat:
            self.again += 1
            self.repeats += 1
        else:
            self.given += is_new
            self.begun += 1
        self.position += is_new

    def answered_labels(self, at: datetime) -> None:
        """Step 1 was stored."""
        self._saved(at)

    def answered(self, assignment: Assignment, *, at: datetime, milliseconds: int | None) -> None:
        """Step 2 of an assignment was stored for the first time; how long both steps took, if known."""
        self._saved(at)
        self.done += 1
        if assignment.repeat_of_id is None:
            self.once += 1
            self.given -= 1
            self.begun -= assignment.claimed_at is not None
        else:
            self.again -= 1
        if milliseconds is not None:
            self.times = sorted([*self.times, [assignment.position or 0, milliseconds]])[-PACE_OF:]

    def _saved(self, at: datetime) -> None:
        self.saved = max(at, self.saved_at or at).isoformat()


def _turns(expert: Membership) -> dict[str, list[int]]:
    """The expert's turns so far, by phase. One query."""
    sources = ("comparison__first_system", "comparison__second_system")
    names = tuple(f"{source}__{part}" for source in sources for part in ("model", "method", "run"))
    is_of_pairs = expert.study.compares == Compares.SYSTEM_VS_SYSTEM
    given = Assignment.objects.filter(expert=expert, turn__isnull=False).order_by("phase", "turn")
    told: dict[str, list[tuple[int, bool]]] = {}
    turns: dict[str, list[int]] = {}
    for phase, turn, rule, order, *pair in given.values_list(
        "phase", "turn", "side_rule", "side_order", *(names if is_of_pairs else ())
    ):
        is_in_order = not is_of_pairs or pair[0] is None or order_of_names(tuple(pair[:3]), tuple(pair[3:]))
        told.setdefault(phase, []).append((rule, (order == SideOrder.FIRST_IS_A) == is_in_order))
        turns[phase] = [turn + 1, 0]
    for phase, past in told.items():
        turns[phase][1] = lead_of(past)
    return turns
