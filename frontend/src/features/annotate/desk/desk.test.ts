import { describe, expect, test } from "vitest";
import type { Assignment, Task } from "~/api/types";
import type { Entry } from "~/outbox/entry";
import { afterStored, isBehind, type Screen, screenOf } from "./desk";

const assignment = (token: string, step: 1 | 2 = 1): Assignment => ({
  token,
  step,
  direction: "ltr",
  language: "en",
  segments: [],
  selected: step === 2 ? [0] : null,
  comparison: step === 2 ? { a: [], b: [], identical: false } : null,
  answered: null,
});

function task(one: Assignment | null, done = 0, finished: Task["finished"] = ""): Task {
  return {
    study: {} as Task["study"],
    practised: true,
    progress: { done, total: 6, minutes_left: null },
    saved_at: null,
    assignment: one,
    finished,
    more: 0,
    opens_at: null,
  };
}

function entry(token: string, kind: string, body: Record<string, unknown> = {}): Entry {
  const given = "2026-11-20T14:03:00Z";
  return {
    id: `${token}-${kind}`,
    owner: 1,
    study: "s",
    token,
    kind,
    body,
    about: "",
    given,
    refused: null,
  };
}

const quiet: Parameters<typeof screenOf>[0] = {
  task: task(assignment("one")),
  ahead: task(assignment("two")),
  waiting: [],
  stored: [],
  focus: null,
  isTroubled: false,
  isLost: false,
};

const labels = (token: string) => entry(token, "labels");
const preference = (token: string) => entry(token, "preference");

/** A screen in brief: which token at which step, and how. */
function short(screen: Screen): string {
  if (screen.show === "step")
    return `step ${screen.assignment.step} of ${screen.assignment.token}${screen.isBusy ? ", busy" : ""}`;
  if (screen.show === "held") return `held ${screen.assignment.token}, onwards ${screen.onwards}`;
  if (screen.show === "finished")
    return `finished${screen.waits ? ", waits" : ""}${screen.lost ? ", lost" : ""}`;
  return screen.show;
}

const shown = (changes: Partial<typeof quiet>) => short(screenOf({ ...quiet, ...changes }));

describe("with a connection", () => {
  test("what the server handed out is shown", () => {
    expect(shown({})).toBe("step 1 of one");
    expect(shown({ task: task(assignment("one", 2)) })).toBe("step 2 of one");
    expect(shown({ task: task(null, 6, "all_done"), ahead: undefined })).toBe("finished");
  });
  test("step 1 stays, busy, until the server has sent step 2", () => {
    expect(shown({ waiting: [labels("one")], focus: "one" })).toBe("step 1 of one, busy");
  });
  test("from Submit the next text is there at once", () => {
    const now = { task: task(assignment("one", 2)), focus: "one", waiting: [preference("one")] };
    expect(shown(now)).toBe("step 1 of two");
  });
  test("without a next text the step stays, busy, until the server has said what comes", () => {
    const last = { task: task(assignment("one", 2)), ahead: undefined, focus: "one" };
    expect(shown({ ...last, waiting: [preference("one")] })).toBe("step 2 of one, busy");
    expect(shown({ ...last, stored: [preference("one")] })).toBe("step 2 of one, busy");
    expect(shown({ ...last, stored: [preference("one")], isLost: true })).toBe("finished, lost");
  });
  test("progress and time are the server's last word, also beside what was fetched before it", () => {
    const now = { ...task(assignment("one", 2), 3), saved_at: "14:03" };
    const screen = screenOf({ ...quiet, task: now, waiting: [preference("one")] });
    expect(screen).toMatchObject({ task: { saved_at: "14:03", progress: { done: 3 } }, number: 5 });
  });
  test("an old answer of the server cannot bring back what was stored since", () => {
    expect(shown({ task: task(assignment("one", 2)), stored: [preference("one")] })).toBe(
      "step 1 of two",
    );
  });
  test("nor can it bring back step 1, whose labels were stored since", () => {
    expect(shown({ stored: [labels("one")], focus: "one" })).toBe("step 1 of one, busy");
  });
  test("a skipped text makes room at once, a mere report does not", () => {
    expect(shown({ waiting: [entry("one", "report", { skip: true })] })).toBe("step 1 of two");
    expect(shown({ waiting: [entry("one", "report", { skip: false })] })).toBe("step 1 of one");
  });
});

describe("without a connection", () => {
  const cut = { isTroubled: true };
  test("after step 2 the expert goes on with step 1 of the next", () => {
    const now = {
      ...cut,
      task: task(assignment("one", 2)),
      focus: "one",
      waiting: [preference("one")],
    };
    expect(shown(now)).toBe("step 1 of two");
  });
  test("after that step 2 waits for the server, and nothing else is left", () => {
    const waiting = [preference("one"), labels("two")];
    expect(shown({ ...cut, task: task(assignment("one", 2)), focus: "two", waiting })).toBe(
      "held two, onwards null",
    );
  });
  test("a step 1 that cannot be sent offers the next text, and shows it when asked", () => {
    const waiting = [labels("one")];
    expect(shown({ ...cut, focus: "one", waiting })).toBe("held one, onwards two");
    expect(shown({ ...cut, focus: "two", waiting })).toBe("step 1 of two");
  });
  test("the last answer waits visibly", () => {
    const last = { task: task(assignment("one", 2)), ahead: task(null) };
    expect(shown({ ...cut, ...last, focus: "one", waiting: [preference("one")] })).toBe(
      "finished, waits",
    );
  });
});

describe("when the connection is back", () => {
  test("nothing takes the expert away from what they are at", () => {
    const back = { task: task(assignment("one", 2)), focus: "two" };
    expect(shown(back)).toBe("step 1 of two");
    expect(shown({ ...back, waiting: [labels("two")] })).toBe("step 1 of two, busy");
    expect(shown({ ...back, ahead: task(assignment("two", 2)) })).toBe("step 2 of two");
    expect(
      shown({ ...back, ahead: task(assignment("two", 2)), waiting: [preference("two")] }),
    ).toBe("step 2 of one");
  });
  test("a reload with labels that wait shows that text, not the next", () => {
    expect(shown({ waiting: [labels("one")] })).toBe("step 1 of one, busy");
    expect(shown({ waiting: [labels("one")], isTroubled: true })).toBe("held one, onwards two");
  });
});

describe("what the server acknowledged", () => {
  const saved = {
    saved_at: "2026-11-20T14:03:00Z",
    progress: { done: 1, total: 6, minutes_left: null },
  };
  const hand = { task: task(assignment("one", 2)), ahead: task(assignment("two")) };
  test("labels open step 2 of their own text, in hand or ahead", () => {
    const opened = { ...task(assignment("one", 2)), saved_at: "now" };
    const first = afterStored({ ...hand, task: task(assignment("one")) }, labels("one"), opened);
    expect(first.task).toBe(opened);
    const second = { ...task(assignment("two", 2)), saved_at: "now" };
    const after = afterStored(hand, labels("two"), second);
    expect([after.ahead, after.task?.saved_at]).toEqual([second, "now"]);
  });
  test("a preference puts the next text in its place, with the server's progress and time", () => {
    const after = afterStored(hand, preference("one"), saved);
    expect(after.task).toEqual({ ...hand.ahead, ...saved });
    expect([after.ahead, after.isStale]).toEqual([undefined, false]);
  });
  test("without a next text the server is asked", () => {
    expect(afterStored({ ...hand, ahead: undefined }, preference("one"), saved).isStale).toBe(true);
    expect(afterStored({ ...hand, ahead: task(null) }, preference("one"), saved).isStale).toBe(
      true,
    );
  });
  test("of an earlier text it only moves progress and time", () => {
    const after = afterStored(hand, preference("zero"), saved);
    expect(after).toEqual({ task: { ...hand.task, ...saved }, ahead: hand.ahead, isStale: false });
    expect(afterStored(hand, entry("zero", "correction"), saved).task?.assignment?.token).toBe(
      "one",
    );
  });
  test("by another tab, only the server knows", () => {
    expect(afterStored(hand, preference("one"), undefined).isStale).toBe(true);
  });
});

describe("the server's last word is out of date", () => {
  const behind = (changes: Partial<typeof quiet>) => {
    const now = { ...quiet, ...changes };
    return isBehind(screenOf(now), now);
  };

  test("when it names what has been stored since, also while another text is shown", () => {
    expect(behind({ stored: [preference("one")] })).toBe(true);
    expect(behind({ stored: [preference("one")], ahead: undefined })).toBe(true);
  });

  test("and not while something only waits, or a step is open", () => {
    expect(behind({})).toBe(false);
    expect(behind({ waiting: [preference("one")], ahead: undefined })).toBe(false);
    expect(behind({ stored: [labels("one")], task: task(assignment("one", 2)) })).toBe(false);
  });
});
