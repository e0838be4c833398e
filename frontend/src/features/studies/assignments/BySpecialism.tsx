import { plural, t as say } from "@lingui/core/macro";
import { Plural, Trans, useLingui } from "@lingui/react/macro";
import { Button, Checkbox, Group } from "@mantine/core";
import { useState } from "react";
import { ErrorNotice } from "~/components/ErrorNotice";
import { Fold } from "~/components/Fold";
import { Loading } from "~/components/Loading";
import { inDigits } from "~/languages/formats";
import classes from "./AssignmentsTab.module.css";
import { type Matched, useAct, useSpecialisms, useTrial } from "./calls";
import { assignedInWords } from "./words";

/** Free places go first to experts in the text's field, by the label most people chose: previewed, then assigned. */
export function BySpecialism({ slug }: { slug: string }) {
  const { t } = useLingui();
  const known = useSpecialisms(slug);
  const trial = useTrial(slug);
  const act = useAct(slug);
  const [changed, setChanged] = useState<Matched>({});
  const tried = trial.data;
  if (known.error) {
    return (
      <ErrorNotice
        title={t`The experts’ specialisms could not be loaded`}
        error={known.error}
        onRetry={() => void known.refetch()}
      />
    );
  }
  if (!known.data) return <Loading />;
  const { specialisms, labels } = known.data;
  const matched: Matched = Object.fromEntries(
    specialisms.map((one) => [one.name, changed[one.name] ?? one.labels]),
  );
  return (
    <Fold title={t`Assign by specialism`} rows={specialisms.length * labels.length}>
      <p>
        <Trans>
          Texts are first assigned evenly to experts with a matching specialism, using the label
          that most people chose for the text. The remaining places are divided evenly among all
          experts. Experts are not told.
        </Trans>
      </p>
      {specialisms.length === 0 && (
        <p>
          <Trans>
            No expert has stated a specialism. Before the study opens, you can ask for it on the
            Design tab, under “Questions about the experts themselves”.
          </Trans>
        </p>
      )}
      {specialisms.map((one) => (
        <Checkbox.Group
          key={one.name}
          my="lg"
          label={<bdi>{one.name}</bdi>}
          description={plural(one.experts, {
            one: "# expert. Matching labels:",
            other: "# experts. Matching labels:",
          })}
          value={matched[one.name] ?? []}
          onChange={(next) => {
            setChanged({ ...changed, [one.name]: next });
            trial.reset();
          }}
        >
          <div className={classes.labels}>
            {labels.map((label) => (
              <Checkbox key={label} value={label} label={<bdi>{label}</bdi>} />
            ))}
          </div>
        </Checkbox.Group>
      ))}
      {specialisms.length > 0 && (
        <Group gap="sm" my="sm">
          <Button
            variant="default"
            disabled={trial.isPending}
            onClick={() => trial.mutate(matched)}
          >
            <Trans>Preview</Trans>
          </Button>
          <Button
            disabled={!tried || tried.changed === 0 || act.isPending}
            onClick={() =>
              act.mutate({ what: "share", labels: matched }, { onSuccess: () => trial.reset() })
            }
          >
            <Trans>Assign by specialism</Trans>
          </Button>
        </Group>
      )}
      <div role="status">
        {tried && (
          <>
            <p>
              <Plural
                value={tried.changed}
                one="# place would be assigned."
                other="# places would be assigned."
              />{" "}
              <Plural
                value={tried.left}
                one="# place would stay free."
                other="# places would stay free."
              />
            </p>
            <ul>
              {tried.experts.map((one) => (
                <li key={one.number}>{shareInWords(one)}</li>
              ))}
            </ul>
          </>
        )}
        {!tried && act.data && assignedInWords(act.data.changed)}
      </div>
      {(trial.error ?? act.error) && (
        <ErrorNotice title={t`Nothing was assigned`} error={trial.error ?? act.error} />
      )}
    </Fold>
  );
}

type Share = NonNullable<ReturnType<typeof useTrial>["data"]>["experts"][number];

function shareInWords({ number, places, in_field }: Share): string {
  const expert = say`Expert ${number}`;
  const matching = inDigits(in_field);
  return plural(places, {
    one: `${expert}: # place, ${matching} matching the specialism`,
    other: `${expert}: # places, ${matching} matching the specialism`,
  });
}
