import { plural } from "@lingui/core/macro";
import { useLingui } from "@lingui/react/macro";
import { Checkbox } from "@mantine/core";
import { useWorkingTokens } from "./calls";

type Props = { checked: boolean; onChange: (isChecked: boolean) => void };

/** Whether API tokens end with what the person is about to do; they do unless they say otherwise. */
export function EndTokens({ checked, onChange }: Props) {
  const { t } = useLingui();
  const count = useWorkingTokens().data;
  if (count === 0) return null;
  return (
    <Checkbox
      label={
        count === undefined
          ? t`Revoke my API tokens as well`
          : plural(count, {
              one: "Revoke my # API token as well",
              other: "Revoke my # API tokens as well",
            })
      }
      description={t`Scripts that use them stop working. Leave this on if somebody else may have been in your account.`}
      checked={checked}
      onChange={(event) => onChange(event.currentTarget.checked)}
    />
  );
}
