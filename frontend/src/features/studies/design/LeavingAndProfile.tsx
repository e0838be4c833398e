import type { MessageDescriptor } from "@lingui/core";
import { msg } from "@lingui/core/macro";
import { Trans, useLingui } from "@lingui/react/macro";
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

/** What the app's own questions ask about, by name. */
const TOPICS: Record<string, MessageDescriptor> = {
  specialism: msg`Ask about specialism`,
  years_of_experience: msg`Ask about years of experience`,
};

/** What happens to the answers of an expert who leaves. */
export function LeavingSetting() {
  const { t } = useLingui();
  const leaving = useSetting("leaving");
  return (
    <NativeSelect
      label={t`When an expert leaves the study`}
      description={t`Experts agree to this: the consent says it. It cannot be changed once somebody has agreed.`}
      value={leaving.value}
      onChange={(event) => leaving.choose(event.currentTarget.value as Study["leaving"])}
      error={leaving.problem}
      data={[
        { value: "kept", label: t`Their answers are kept` },
        { value: "left_out", label: t`Their answers are left out of exports and analyses` },
      ]}
    />
  );
}

/** Whether experts may get texts that they had in a closed study, and why. */
export function KnownTextsSetting() {
  const { t } = useLingui();
  const setting = useSetting("known_texts");
  return (
    <Textarea
      label={t`Texts that experts had in an earlier study (optional)`}
      description={t`Nobody gets a text that they had in another study: they could tell people’s side by it. If that study is closed and they may get its texts all the same, say why. Reports quote it.`}
      value={setting.value}
      onChange={(event) => setting.type(event.currentTarget.value)}
      onBlur={setting.leave}
      error={setting.problem}
      maxLength={500}
      autosize
      minRows={1}
      maxRows={6}
    />
  );
}

/** What experts are asked about themselves, once, before the first text. */
export function ProfileSetting() {
  const { t } = useLingui();
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
      <h3 id="profile">
        <Trans>Questions about the experts themselves (optional)</Trans>
      </h3>
      <p className="soft small">
        <Trans>
          Experts answer these once, before the first text. Exports and analyses list the answers by
          expert number, so that you can compare groups of experts, for example. The questions
          cannot be changed once an expert has answered.
        </Trans>
      </p>
      {questions.map((one, place) => {
        const number = place + 1;
        return (
          <fieldset key={one.name} className={classes.question}>
            <legend>{t`Question ${number}`}</legend>
            <TextInput
              label={t`Question shown to experts`}
              value={one.label}
              onChange={(event) => change(place, { label: event.currentTarget.value })}
              onBlur={setting.leave}
              maxLength={200}
              dir="auto"
            />
            <NativeSelect
              label={t`Type of answer`}
              value={one.kind}
              onChange={(event) => {
                const kind = event.currentTarget.value as Kind;
                change(place, { kind, options: kind === "choice" ? (one.options ?? []) : [] });
              }}
              data={[
                { value: "choice", label: t`One of several answers` },
                { value: "number", label: t`A number` },
                { value: "text", label: t`A few words` },
              ]}
            />
            {one.kind === "choice" && (
              <Textarea
                label={t`Answers to choose from`}
                description={t`One per line, at least two.`}
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
              label={t`Must be answered`}
              checked={one.required ?? true}
              onChange={(event) => change(place, { required: event.currentTarget.checked })}
            />
            <div>
              <button
                type="button"
                className="linklike small"
                aria-label={t`Remove question ${number}`}
                onClick={() => put(questions.filter((_, at) => at !== place))}
              >
                <Trans>Remove</Trans>
              </button>
            </div>
          </fieldset>
        );
      })}
      {unfinished.length > 0 && (
        <p role="status" className="soft">
          <Trans>
            Not saved yet. Enter the text of each question, and at least two different answers where
            experts choose one.
          </Trans>
        </p>
      )}
      {setting.problem && <p role="alert">{setting.problem}</p>}
      {questions.length < MOST && (
        <div className={classes.adding}>
          {presets
            .filter((one) => !questions.some(({ name }) => name === one.name))
            .map((one) => {
              const topic = TOPICS[one.name];
              return (
                <Button key={one.name} variant="default" onClick={() => add(one)}>
                  {topic ? t(topic) : one.label}
                </Button>
              );
            })}
          <Button variant="default" onClick={() => add(anotherOf(questions))}>
            <Trans>Ask something else</Trans>
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
