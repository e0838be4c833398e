import { Trans, useLingui } from "@lingui/react/macro";
import { Checkbox } from "@mantine/core";
import classes from "./Consent.module.css";
import { SanitisedHtml } from "./SanitisedHtml";

type Props = {
  html: string;
  language: string;
  direction: "ltr" | "rtl";
  hasAgreed: boolean;
  onAgree: (agrees: boolean) => void;
  /** Whether the person tried to continue without it. */
  isMissing: boolean;
};

/** What an expert agrees to, and the checkbox. */
export function Consent({ html, language, direction, hasAgreed, onAgree, isMissing }: Props) {
  const { t } = useLingui();
  return (
    <section className={classes.consent} aria-labelledby="consent">
      <h2 id="consent">
        <Trans>What you agree to</Trans>
      </h2>
      <div className={classes.sheet}>
        <SanitisedHtml html={html} lang={language} dir={direction} />
      </div>
      <Checkbox
        id="agree"
        checked={hasAgreed}
        onChange={(event) => onAgree(event.currentTarget.checked)}
        label={t`I have read this, and I agree to take part.`}
        error={isMissing ? t`Please tick this box if you want to take part.` : null}
      />
    </section>
  );
}
