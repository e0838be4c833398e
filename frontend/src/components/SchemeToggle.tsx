import { useLingui } from "@lingui/react/macro";
import { useComputedColorScheme, useMantineColorScheme } from "@mantine/core";

/** Light or dark: follows the system until the person chooses. */
export function SchemeToggle({ className }: { className?: string | undefined }) {
  const { setColorScheme } = useMantineColorScheme();
  const scheme = useComputedColorScheme("light");
  const { t } = useLingui();
  const other = scheme === "dark" ? "light" : "dark";
  const label = other === "dark" ? t`Switch to dark colours` : t`Switch to light colours`;
  return (
    <button
      type="button"
      className={className ?? "linklike small"}
      onClick={() => setColorScheme(other)}
      title={label}
      aria-label={label}
    >
      <svg viewBox="0 0 24 24" width="20" height="20" aria-hidden="true">
        <circle cx="12" cy="12" r="8.5" fill="none" stroke="currentColor" strokeWidth="1.8" />
        <path d="M12 3.5a8.5 8.5 0 0 1 0 17z" fill="currentColor" />
      </svg>
    </button>
  );
}
