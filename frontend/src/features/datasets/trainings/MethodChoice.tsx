import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { Checkbox } from "@mantine/core";
import type { TrainingForm } from "~/api/types";
import { AS_STORED } from "~/components/AsStored";
import classes from "./Trainings.module.css";

type Props = {
  methods: TrainingForm["methods"];
  /** The names of those that the data allow. */
  possible: string[];
  chosen: string[];
  problem: string | undefined;
  onChange: (names: string[]) => void;
};

/** The methods in the registry's order; those that the data do not allow say why. */
export function MethodChoice({ methods, possible, chosen, problem, onChange }: Props) {
  const isAll = chosen.length === possible.length;
  return (
    <Checkbox.Group
      label={t`Methods`}
      description={t`They differ in what they learn from where people disagree. MV is what the others are usually compared with.`}
      value={chosen}
      onChange={onChange}
      error={problem}
    >
      <button
        type="button"
        className="linklike small"
        onClick={() => onChange(isAll ? [] : possible)}
      >
        {isAll ? <Trans>Choose none</Trans> : <Trans>Choose all that apply</Trans>}
      </button>
      <div className={classes.methods}>
        {methods.map(({ name, title, learns, reason }) => (
          <Checkbox
            key={name}
            value={name}
            disabled={reason !== ""}
            label={
              <>
                <strong>
                  <bdi>{name}</bdi>
                </strong>{" "}
                {title}
              </>
            }
            description={
              reason ? (
                <span {...AS_STORED} className={classes.reason}>
                  {reason}
                </span>
              ) : (
                learns
              )
            }
          />
        ))}
      </div>
    </Checkbox.Group>
  );
}
