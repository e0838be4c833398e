import { NativeSelect, Textarea, TextInput } from "@mantine/core";
import { LANGUAGES } from "~/languages/languages";
import { useWorkspaceStudy } from "../workspace/workspace";
import { useWordings } from "./calls";
import { LeavingSetting, ProfileSetting } from "./LeavingAndProfile";
import classes from "./Setup.module.css";
import { Shown } from "./Shown";
import { useSetting } from "./saving";

/** The words that experts read. */
export function AskedStep() {
  const study = useWorkspaceStudy();
  const title = useSetting("title");
  const instructions = useSetting("instructions");
  const labels = useSetting("question_labels");
  const preference = useSetting("question_preference");
  const meaning = useSetting("share_meaning");
  const certainty = useSetting("question_certainty");
  const consent = useSetting("consent");
  const language = useSetting("language");
  const wordings = useWordings(study.dataset.task, language.value || "en").data ?? [];
  const chosen = wordings.find(
    (one) =>
      one.question_labels === labels.value &&
      one.question_preference === preference.value &&
      one.share_meaning === meaning.value &&
      one.question_certainty === certainty.value,
  );
  return (
    <>
      <TextInput
        label="Title"
        description="Experts see it above every text."
        value={title.value}
        onChange={(event) => title.type(event.currentTarget.value)}
        onBlur={title.leave}
        error={title.problem}
      />
      <NativeSelect
        label="Language of the experts’ pages"
        description="Buttons, help and messages. Your own texts stay as you write them."
        value={language.value}
        onChange={(event) => language.choose(event.currentTarget.value)}
        error={language.problem}
        data={[
          { value: "", label: "That of the texts" },
          ...LANGUAGES.map(({ code, name }) => ({ value: code as string, label: name })),
        ]}
      />
      <div className={classes.written}>
        <Textarea
          label="Instructions"
          description="In Markdown: a line that begins with “- ” is an item, **two stars** make bold."
          value={instructions.value}
          onChange={(event) => instructions.type(event.currentTarget.value)}
          onBlur={instructions.leave}
          error={instructions.problem}
          autosize
          minRows={5}
          maxRows={18}
          dir="auto"
        />
        <Shown
          title="Instructions as experts read them"
          markdown={instructions.value}
          study={study}
        >
          There are none yet.
        </Shown>
      </div>
      {wordings.length > 0 && (
        <NativeSelect
          label="Wording of the questions and of the chart"
          value={chosen?.name ?? ""}
          onChange={(event) => {
            const wording = wordings.find((one) => one.name === event.currentTarget.value);
            if (!wording) return;
            labels.choose(wording.question_labels);
            preference.choose(wording.question_preference);
            meaning.choose(wording.share_meaning);
            certainty.choose(wording.question_certainty);
          }}
          data={[
            ...(chosen ? [] : [{ value: "", label: "Your own words, below" }]),
            ...wordings.map((one) => ({
              value: one.name,
              label: one.name,
            })),
          ]}
        />
      )}
      <TextInput
        label="First question, about the text"
        value={labels.value}
        onChange={(event) => labels.type(event.currentTarget.value)}
        onBlur={labels.leave}
        error={labels.problem}
        dir="auto"
      />
      <TextInput
        label="Second question, about the two sides"
        value={preference.value}
        onChange={(event) => preference.type(event.currentTarget.value)}
        onBlur={preference.leave}
        error={preference.problem}
        dir="auto"
      />
      <TextInput
        label="What a bar of the chart is (optional)"
        description="It must be true of both sides, such as “share of lawyers who would choose this area”. Empty: “share of people who would choose it”, in the language of the experts’ pages."
        value={meaning.value}
        onChange={(event) => meaning.type(event.currentTarget.value)}
        onBlur={meaning.leave}
        error={meaning.problem}
        maxLength={120}
        dir="auto"
      />
      <TextInput
        label="Question about certainty (optional)"
        description="Asked beside the slider of step 2. Empty: “How certain are you?”, in the language of the experts’ pages."
        value={certainty.value}
        onChange={(event) => certainty.type(event.currentTarget.value)}
        onBlur={certainty.leave}
        error={certainty.problem}
        maxLength={160}
        dir="auto"
      />
      <div className={classes.written}>
        <Textarea
          label="Consent (optional)"
          description="What experts agree to when they take up their invitation. Empty: the text that comes with the app."
          value={consent.value}
          onChange={(event) => consent.type(event.currentTarget.value)}
          onBlur={consent.leave}
          error={consent.problem}
          autosize
          minRows={3}
          maxRows={14}
          dir="auto"
        />
        <Shown title="Consent as experts read it" markdown={consent.value} study={study}>
          The text that comes with the app, in the language of the experts’ pages. Try it as an
          expert to read it.
        </Shown>
      </div>
      <LeavingSetting />
      <ProfileSetting />
    </>
  );
}
