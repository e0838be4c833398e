import { Trans, useLingui } from "@lingui/react/macro";
import { NativeSelect, Textarea, TextInput } from "@mantine/core";
import { LANGUAGES } from "~/languages/languages";
import { useWorkspaceStudy } from "../workspace/workspace";
import { useWordings } from "./calls";
import { KnownTextsSetting, LeavingSetting, ProfileSetting } from "./LeavingAndProfile";
import classes from "./Setup.module.css";
import { Shown } from "./Shown";
import { useSetting } from "./saving";

/** The words that experts read. */
export function AskedStep() {
  const { t } = useLingui();
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
        label={t`Title`}
        description={t`Experts see the title above every text.`}
        value={title.value}
        onChange={(event) => title.type(event.currentTarget.value)}
        onBlur={title.leave}
        error={title.problem}
      />
      <NativeSelect
        label={t`Language of the experts’ pages`}
        description={t`Buttons, help and messages. Your own texts appear as you write them.`}
        value={language.value}
        onChange={(event) => language.choose(event.currentTarget.value)}
        error={language.problem}
        data={[
          { value: "", label: t`Same as the texts` },
          ...LANGUAGES.map(({ code, name }) => ({ value: code as string, label: name })),
        ]}
      />
      <div className={classes.written}>
        <Textarea
          label={t`Instructions`}
          description={t`In Markdown: a line that begins with “- ” is a list item, **two asterisks** make text bold.`}
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
          title={t`Instructions as experts see them`}
          markdown={instructions.value}
          study={study}
        >
          <Trans>No instructions yet.</Trans>
        </Shown>
      </div>
      {wordings.length > 0 && (
        <NativeSelect
          label={t`Wording of the questions and the chart`}
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
            ...(chosen ? [] : [{ value: "", label: t`Your own wording, below` }]),
            ...wordings.map((one) => ({
              value: one.name,
              label: one.name,
            })),
          ]}
        />
      )}
      <TextInput
        label={t`First question, about the text`}
        value={labels.value}
        onChange={(event) => labels.type(event.currentTarget.value)}
        onBlur={labels.leave}
        error={labels.problem}
        dir="auto"
      />
      <TextInput
        label={t`Second question, about the two sides`}
        value={preference.value}
        onChange={(event) => preference.type(event.currentTarget.value)}
        onBlur={preference.leave}
        error={preference.problem}
        dir="auto"
      />
      <TextInput
        label={t`Meaning of a bar in the chart (optional)`}
        description={t`It must be true of both sides, for example “share of lawyers who would choose this area”. If you leave it empty, experts read “share of people who would choose it” in the language of their pages.`}
        value={meaning.value}
        onChange={(event) => meaning.type(event.currentTarget.value)}
        onBlur={meaning.leave}
        error={meaning.problem}
        maxLength={120}
        dir="auto"
      />
      <TextInput
        label={t`Question about certainty (optional)`}
        description={t`Shown next to the slider in step 2. If you leave it empty, experts read “How certain are you?” in the language of their pages.`}
        value={certainty.value}
        onChange={(event) => certainty.type(event.currentTarget.value)}
        onBlur={certainty.leave}
        error={certainty.problem}
        maxLength={160}
        dir="auto"
      />
      <div className={classes.written}>
        <Textarea
          label={t`Consent (optional)`}
          description={t`What experts agree to when they accept their invitation. If you leave it empty, the standard text is used. Below either text, the consent lists what this study saves of them, and what happens to their answers if they leave.`}
          value={consent.value}
          onChange={(event) => consent.type(event.currentTarget.value)}
          onBlur={consent.leave}
          error={consent.problem}
          autosize
          minRows={3}
          maxRows={14}
          dir="auto"
        />
        <Shown title={t`Consent as experts see it`} markdown={consent.value} study={study}>
          <Trans>
            The standard text, in the language of the experts’ pages. To read it, try the study as
            an expert.
          </Trans>
        </Shown>
      </div>
      <LeavingSetting />
      <KnownTextsSetting />
      <ProfileSetting />
    </>
  );
}
