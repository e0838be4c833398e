import { useLingui } from "@lingui/react/macro";
import classes from "./LanguageChoice.module.css";
import { useLanguages } from "./LanguageProvider";
import { LANGUAGES, languageOf } from "./languages";

/** The choice of the pages' language, remembered on this device. Not shown if a page has one language for everybody. */
export function LanguageChoice() {
  const { t } = useLingui();
  const { own, choose, isFixed } = useLanguages();
  if (isFixed) return null;
  return (
    <select
      className={classes.choice}
      aria-label={t`Language`}
      value={own}
      onChange={(event) => {
        const language = languageOf(event.currentTarget.value);
        if (language) choose(language.code);
      }}
    >
      {LANGUAGES.map(({ code, name }) => (
        <option key={code} value={code} lang={code}>
          {name}
        </option>
      ))}
    </select>
  );
}
