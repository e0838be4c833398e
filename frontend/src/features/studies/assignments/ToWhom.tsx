import { NativeSelect } from "@mantine/core";

type Props = {
  experts: readonly { number: number; name: string; is_active: boolean }[];
  value: string;
  onChange: (number: string) => void;
};

/** Which of the experts who take part gets what is chosen. */
export function ToWhom({ experts, value, onChange }: Props) {
  return (
    <NativeSelect
      aria-label="To whom"
      value={value}
      onChange={(event) => onChange(event.currentTarget.value)}
      data={[
        { value: "", label: "To whom…" },
        ...experts
          .filter((one) => one.is_active)
          .map(({ number, name }) => ({
            value: String(number),
            label: `Expert ${number}, ${name}`,
          })),
      ]}
    />
  );
}
