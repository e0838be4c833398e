import { i18n } from "@lingui/core";
import { I18nProvider } from "@lingui/react";
import { useDirection } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import {
  createContext,
  type ReactNode,
  useContext,
  useEffect,
  useLayoutEffect,
  useMemo,
  useState,
} from "react";
import { speak } from "./catalogues";
import {
  type Code,
  type Direction,
  hasChosen,
  languageOf,
  ownLanguage,
  remember,
} from "./languages";

/** The language of a part of the pages, whatever this person's own. */
type Scope = { language: string; direction?: Direction | undefined };

type Languages = {
  own: Code;
  choose: (code: Code) => void;
  enter: (scope: Scope | null) => void;
  /** The language tried last, whether loaded or unavailable. */
  settled: Code;
  /** Whether this page is in one language for everybody, as a study's own pages are. */
  isFixed: boolean;
};

const Context = createContext<Languages | null>(null);

/** What an expert has in hand is in the study's language whatever the page's, and is not fetched twice. */
const isHandedOut = ([kind]: readonly unknown[]) => kind === "task" || kind === "ahead";

/** Keeps the pages, `<html lang dir>` and Mantine in one language and one direction. */
export function LanguageProvider({ children }: { children: ReactNode }) {
  const [own, setOwn] = useState(ownLanguage);
  const [scope, enter] = useState<Scope | null>(null);
  const [settled, setSettled] = useState(() => languageOf(i18n.locale) ?? own);
  const { setDirection } = useDirection();
  const client = useQueryClient();

  const wanted = languageOf(scope?.language) ?? own;
  useEffect(() => {
    let stale = false;
    const before = i18n.locale;
    void speak(wanted, () => stale).then((isSpoken) => {
      if (stale) return;
      setSettled(wanted);
      // The server's sentences are fetched again in the page's new language.
      if (isSpoken && wanted.code !== before)
        void client.invalidateQueries({ predicate: ({ queryKey }) => !isHandedOut(queryKey) });
    });
    return () => {
      stale = true;
    };
  }, [wanted, client]);

  const spoken = languageOf(i18n.locale) ?? settled;
  const direction = scope?.direction ?? spoken.direction;
  useLayoutEffect(() => setDirection(direction), [direction, setDirection]);

  const languages = useMemo(
    () => ({
      own: own.code,
      choose: (code: Code) => {
        remember(code);
        setOwn(languageOf(code) ?? own);
      },
      enter,
      settled: settled.code,
      isFixed: scope?.language !== undefined,
    }),
    [own, settled, scope],
  );
  return (
    <Context value={languages}>
      <I18nProvider i18n={i18n}>{children}</I18nProvider>
    </Context>
  );
}

export function useLanguages(): Languages {
  const languages = useContext(Context);
  if (!languages) throw new Error("Outside of LanguageProvider");
  return languages;
}

/** The language of a person's account, on a device where they have not chosen another. */
export function useAccountLanguage(language: string | undefined) {
  const { choose } = useLanguages();
  const code = languageOf(language)?.code;
  useEffect(() => {
    if (code && !hasChosen()) choose(code);
  }, [code, choose]);
}

/**
 * While this is mounted, the page is in the study's language (if available) and direction.
 * Returns whether that is already so, so that nobody first sees another language.
 */
export function useLanguageOf(language: string | undefined, direction?: Direction): boolean {
  const { own, enter, settled } = useLanguages();
  useLayoutEffect(() => {
    if (language === undefined) return;
    enter({ language, direction });
    return () => enter(null);
  }, [language, direction, enter]);
  return settled === (languageOf(language)?.code ?? own);
}
