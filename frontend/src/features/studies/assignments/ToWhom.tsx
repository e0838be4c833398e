import { useLingui } from "@lingui/react/macro";
import { NativeSelect } from "@mantine/core";
import { isolated } from "~/languages/bidi";

type Props = {
  experts: readonly { number: number; name: string; is_active: boolean }[];
  value: string;
  onChange: (number: string) => void;
};

/** Which active expert gets the chosen places. */
export function ToWhom({ experts, value, onChange }: Props) {
  const { t } = useLingui();
  return (
    <NativeSelect
      aria-label={t`Expert to assign to`}
      value={value}
      onChange={(event) => onChange(event.currentTarget.value)}
      data={[
        { value: "", label: t`Choose an expert…` },
        ...experts
          .filter((one) => one.is_active)
          .map(({ number, name: called }) => {
            const name = isolated(called);
            return { value: String(number), label: t`Expert ${number}, ${name}` };
          }),
      ]}
    />
  );
}
