import { expect, test } from "vitest";
import { startedInWords } from "./Members";

const expert = (completed: number) => ({
  number: 0,
  name: "",
  role: "expert" as const,
  is_simulated: false,
  claimed: completed,
  completed,
});

test("the page opens with how many experts have not started", () => {
  expect(startedInWords([])).toBe("No experts are taking part yet.");
  expect(startedInWords([expert(0), expert(3), expert(0)])).toBe(
    "2 of 3 experts have not started.",
  );
  expect(startedInWords([expert(1), expert(0)])).toBe("1 of 2 experts has not started.");
  expect(startedInWords([expert(1), expert(2)])).toBe("All 2 experts have started.");
  expect(startedInWords([expert(0), expert(0)])).toBe("None of the 2 experts have started.");
  expect(startedInWords([expert(1)])).toBe("The only expert has started.");
});
