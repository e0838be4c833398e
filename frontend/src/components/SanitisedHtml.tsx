import classes from "./SanitisedHtml.module.css";

type Props = { html: string; lang: string | undefined; dir: "ltr" | "rtl" | "auto" };

/** A study's instructions or consent. The server made this HTML from Markdown and sanitised it; pass nothing else. */
export function SanitisedHtml({ html, lang, dir }: Props) {
  return (
    <div
      className={classes.prose}
      lang={lang}
      dir={dir}
      // biome-ignore lint/security/noDangerouslySetInnerHtml: sanitised by the server, and scripts are barred by the policy
      dangerouslySetInnerHTML={{ __html: html }}
    />
  );
}
