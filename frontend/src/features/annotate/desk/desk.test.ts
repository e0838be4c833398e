import { describe, expect, test } from "vitest";
import type { Assignment, LabelsTaken, Next, Taken, Task } from "~/api/types";
import type { Entry } from "~/outbox/entry";
import { afterStored, isBehind, type Screen, saying, screenOf } from "./desk";

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
    study: { instrument_version: 1 } as Task["study"],
    practised: true,
    progress: { done, total: 6, minutes_left: null },
    saved_at: null,
    assignment: one,
    finished,
    more: 0,
    opens_at: null,
  };
}

const next = (one: Assignment | null, finished: Task["finished"] = ""): Next => ({
  assignment: one,
  finished,
  more: 0,
  opens_at: null,
});

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
  ahead: next(assignment("two")),
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
  if (screen.show === "held") return `held ${screen.assignment.token}`;
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
      "held two",
    );
  });
  test("a step 1 that cannot be sent waits, since nothing comes before its step 2", () => {
    expect(shown({ ...cut, ahead: undefined, focus: "one", waiting: [labels("one")] })).toBe(
      "held one",
    );
  });
  test("the last answer waits visibly", () => {
    const last = { task: task(assignment("one", 2)), ahead: next(null, "all_done") };
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
    expect(shown({ ...back, ahead: next(assignment("two", 2)) })).toBe("step 2 of two");
    expect(
      shown({ ...back, ahead: next(assignment("two", 2)), waiting: [preference("two")] }),
    ).toBe("step 2 of one");
  });
  test("a reload with labels that wait shows that text, not the next", () => {
    expect(shown({ waiting: [labels("one")] })).toBe("step 1 of one, busy");
    expect(shown({ waiting: [labels("one")], isTroubled: true })).toBe("held one");
  });
});

describe("what the server acknowledged", () => {
  const saved = {
    saved_at: "2026-11-20T14:03:00Z",
    progress: { done: 1, total: 6, minutes_left: null },
  };
  const [one, two, three] = ["one", "two", "three"].map((token) => assignment(token));
  const step2 = assignment("one", 2);
  const hand = { task: task(step2), ahead: next(two as Assignment) };
  const fresh = { task: task(one as Assignment), ahead: undefined };
  const ofLabels = (changes: Partial<LabelsTaken> = {}): LabelsTaken => ({
    ...saved,
    instrument_version: 1,
    assignment: step2,
    next: next(two as Assignment),
    ...changes,
  });
  const ofPreference = (came: Next | null = null, instrument_version = 1): Taken => ({
    ...saved,
    instrument_version,
    next: came,
  });

  test("labels open step 2 of their text and bring the one after it; the study's words stay", () => {
    expect(afterStored(fresh, labels("one"), ofLabels())).toEqual({
      task: { ...hand.task, ...saved },
      ahead: hand.ahead,
      isStale: false,
    });
  });
  test("if the study's words have changed, they come before step 2, and the text ahead is kept", () => {
    const after = afterStored(fresh, labels("one"), ofLabels({ instrument_version: 2 }));
    expect(after).toEqual({ task: { ...fresh.task, ...saved }, ahead: hand.ahead, isStale: true });
    expect(shown({ ...after, stored: [labels("one")] })).toBe("step 1 of one, busy");
  });
  test("labels of the text ahead open its step 2 there", () => {
    const opened = assignment("two", 2);
    const after = afterStored(
      hand,
      labels("two"),
      ofLabels({ assignment: opened, next: next(null) }),
    );
    expect(after).toEqual({
      task: { ...hand.task, ...saved },
      ahead: next(opened),
      isStale: false,
    });
  });
  test("a preference puts the next text in its place, with the server's progress and time", () => {
    const after = afterStored(hand, preference("one"), ofPreference());
    expect(after.task).toEqual({ ...task(two as Assignment), ...saved });
    expect([after.ahead, after.isStale]).toEqual([undefined, false]);
  });
  test("without a text ahead, its response brings one", () => {
    const came = ofPreference(next(three as Assignment));
    const after = afterStored({ ...hand, ahead: undefined }, preference("one"), came);
    expect(after.task).toEqual({ ...task(three as Assignment), ...saved });
    expect(after.isStale).toBe(false);
  });
  test("or says that there is nothing more, and how many may be asked for", () => {
    const came = ofPreference({ ...next(null, "all_done"), more: 3 });
    const after = afterStored({ ...hand, ahead: next(null, "all_done") }, preference("one"), came);
    expect(after.task).toEqual({ ...task(null, 1, "all_done"), ...saved, more: 3 });
    expect(after.isStale).toBe(false);
  });
  test.each([
    ["nothing came because the page had a text, which it has lost since", ofPreference(null)],
    ["another text is in hand already", ofPreference(next(null))],
    ["there is nothing at the moment", ofPreference(next(null, "nothing_available"))],
    ["the study's words have changed", ofPreference(next(three as Assignment), 2)],
  ])("the server is asked if %s", (_, came) => {
    const before = { ...hand, ahead: undefined };
    const after = afterStored(before, preference("one"), came);
    expect(after).toEqual({ task: { ...hand.task, ...saved }, ahead: undefined, isStale: true });
    expect(shown({ ...after, stored: [preference("one")] })).toBe("step 2 of one, busy");
  });
  test("a text that is already here comes at once even if the words have changed: it says which ones it was read with", () => {
    const after = afterStored(hand, preference("one"), ofPreference(null, 2));
    expect([after.task?.assignment, after.isStale]).toEqual([two, false]);
  });
  test("of an earlier text it only moves progress and time", () => {
    const after = afterStored(hand, preference("zero"), ofPreference());
    expect(after).toEqual({ task: { ...hand.task, ...saved }, ahead: hand.ahead, isStale: false });
    expect(afterStored(hand, entry("zero", "correction"), saved).task?.assignment?.token).toBe(
      "one",
    );
    const late = afterStored(hand, labels("zero"), ofLabels());
    expect([late.task?.assignment, late.ahead]).toEqual([step2, hand.ahead]);
  });
  test("a skipped text makes room for the next in the same way", () => {
    const skip = entry("one", "report", { skip: true });
    expect(afterStored(hand, skip, ofPreference()).task?.assignment).toBe(two);
    const came = ofPreference(next(three as Assignment));
    expect(afterStored({ ...hand, ahead: undefined }, skip, came).task?.assignment).toBe(three);
    expect(afterStored({ ...hand, ahead: undefined }, skip, ofPreference()).isStale).toBe(true);
  });
  test("by another tab, only the server knows", () => {
    expect(afterStored(hand, preference("one"), undefined).isStale).toBe(true);
  });
});

describe("the last answer about a text says which one is here already", () => {
  const given = { kind: "preference", body: { a_chosen: true } };
  test("so that the server sends none", () => {
    expect(saying(given, next(assignment("two"))).body).toEqual({ a_chosen: true, ahead: "two" });
  });
  test("or that there is none", () => {
    for (const ahead of [undefined, next(null, "all_done")])
      expect(saying(given, ahead).body).toEqual({ a_chosen: true, ahead: null });
  });
  test("and no other answer does", () => {
    for (const other of [
      { kind: "labels", body: {} },
      { kind: "report", body: { skip: false } },
    ])
      expect(saying(other, next(assignment("two")))).toBe(other);
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
