import { Button, Checkbox, NativeSelect, Textarea, TextInput } from "@mantine/core";
import { useState } from "react";
import type { Study } from "~/api/types";
import { useWorkspaceStudy } from "../workspace/workspace";
import { useSetup } from "./calls";
import classes from "./Setup.module.css";
import { useSetting } from "./saving";

type Question = Study["profile_questions"][number];
type Kind = Question["kind"];

const MOST = 10;

/** What becomes of the answers of an expert who leaves. */
export function LeavingSetting() {
  const leaving = useSetting("leaving");
  const consent = useSetting("consent");
  return (
    <NativeSelect
      label="When an expert leaves the study"
      description={
        consent.value.trim()
          ? "Experts agree to this, so your own consent text has to say it. It is fixed once somebody has agreed."
          : "Experts agree to this: the consent text that comes with the app says it. It is fixed once somebody has agreed."
      }
      value={leaving.value}
      onChange={(event) => leaving.choose(event.currentTarget.value as Study["leaving"])}
      error={leaving.problem}
      data={[
        { value: "kept", label: "Their answers stay" },
        { value: "left_out", label: "Their answers are left out of exports and analyses" },
      ]}
    />
  );
}

/** What experts are asked about themselves, once, before the first text. */
export function ProfileSetting() {
  const setting = useSetting("profile_questions");
  const { slug } = useWorkspaceStudy();
  const presets = useSetup(slug).data?.profile_presets ?? [];
  const [questions, setQuestions] = useState<readonly Question[]>(setting.value);
  const unfinished = questions.filter((one) => !isComplete(one));
  const put = (next: readonly Question[]) => {
    setQuestions(next);
    if (next.every(isComplete)) setting.type(next.map(tidied));
  };
  const change = (place: number, part: Partial<Question>) =>
    put(questions.map((one, at) => (at === place ? { ...one, ...part } : one)));
  const add = (one: Question) => put([...questions, one]);
  return (
    <section aria-labelledby="profile" className={classes.questions}>
      <h3 id="profile">What experts are asked about themselves (optional)</h3>
      <p className="soft small">
        Once, before the first text. Exports and analyses have the answers under the expert’s
        number, for example to compare groups of experts. Once an expert has answered, the questions
        stay.
      </p>
      {questions.map((one, place) => (
        <fieldset key={one.name} className={classes.question}>
          <legend>Question {place + 1}</legend>
          <TextInput
            label="What experts read"
            value={one.label}
            onChange={(event) => change(place, { label: event.currentTarget.value })}
            onBlur={setting.leave}
            maxLength={200}
            dir="auto"
          />
          <NativeSelect
            label="Kind of answer"
            value={one.kind}
            onChange={(event) => {
              const kind = event.currentTarget.value as Kind;
              change(place, { kind, options: kind === "choice" ? (one.options ?? []) : [] });
            }}
            data={[
              { value: "choice", label: "One of several answers" },
              { value: "number", label: "A number" },
              { value: "text", label: "A few words" },
            ]}
          />
          {one.kind === "choice" && (
            <Textarea
              label="Answers to choose from"
              description="One a line, two at least."
              value={(one.options ?? []).join("\n")}
              onChange={(event) =>
                change(place, { options: event.currentTarget.value.split("\n") })
              }
              onBlur={setting.leave}
              autosize
              minRows={3}
              maxRows={12}
              dir="auto"
            />
          )}
          <Checkbox
            label="Has to be answered"
            checked={one.required ?? true}
            onChange={(event) => change(place, { required: event.currentTarget.checked })}
          />
          <div>
            <button
              type="button"
              className="linklike small"
              aria-label={`Remove question ${place + 1}`}
              onClick={() => put(questions.filter((_, at) => at !== place))}
            >
              Remove
            </button>
          </div>
        </fieldset>
      ))}
      {unfinished.length > 0 && (
        <p role="status" className="soft">
          Not saved yet: a question needs words, and a choice at least two different answers.
        </p>
      )}
      {setting.problem && <p role="alert">{setting.problem}</p>}
      {questions.length < MOST && (
        <div className={classes.adding}>
          {presets
            .filter((one) => !questions.some(({ name }) => name === one.name))
            .map((one) => (
              <Button key={one.name} variant="default" onClick={() => add(one)}>
                Ask about {one.name.replaceAll("_", " ")}
              </Button>
            ))}
          <Button variant="default" onClick={() => add(anotherOf(questions))}>
            Ask something else
          </Button>
        </div>
      )}
    </section>
  );
}

function tidied(one: Question): Question {
  const options = (one.options ?? []).map((option) => option.trim()).filter((option) => option);
  return { ...one, label: one.label.trim(), options };
}

function isComplete(one: Question): boolean {
  const { label, kind, options = [] } = tidied(one);
  if (!label) return false;
  return kind !== "choice" || (options.length >= 2 && new Set(options).size === options.length);
}

function anotherOf(questions: readonly Question[]): Question {
  const taken = new Set(questions.map(({ name }) => name));
  let number = 1;
  while (taken.has(`question_${number}`)) number += 1;
  return { name: `question_${number}`, label: "", kind: "text", options: [], required: false };
}
