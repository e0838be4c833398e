import { Button, Checkbox, Group } from "@mantine/core";
import { useState } from "react";
import { ErrorNotice } from "~/components/ErrorNotice";
import { Fold } from "~/components/Fold";
import { Loading } from "~/components/Loading";
import { counted } from "~/components/words";
import classes from "./AssignmentsTab.module.css";
import { type Matched, useAct, useSpecialisms, useTrial } from "./calls";

/** Free places go first to those in whose field a text is, by the label that most people chose: tried, then given. */
export function BySpecialism({ slug }: { slug: string }) {
  const known = useSpecialisms(slug);
  const trial = useTrial(slug);
  const act = useAct(slug);
  const [changed, setChanged] = useState<Matched>({});
  const tried = trial.data;
  if (known.error) {
    return (
      <ErrorNotice
        title="The experts’ specialisms cannot be shown"
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
    <Fold title="Share by specialism" rows={specialisms.length * labels.length}>
      <p>
        A text goes first to the experts in whose specialism it is, evenly among them: by the label
        that most people chose for it. What is left is shared evenly among all. Experts are not
        told.
      </p>
      {specialisms.length === 0 && (
        <p>
          No expert has said what they specialise in. Ask them under Design, before they begin:
          “What experts are asked about themselves”.
        </p>
      )}
      {specialisms.map((one) => (
        <Checkbox.Group
          key={one.name}
          my="lg"
          label={<bdi>{one.name}</bdi>}
          description={`${counted(one.experts, "expert")}. Their labels:`}
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
            See what it would give
          </Button>
          <Button
            disabled={!tried || tried.changed === 0 || act.isPending}
            onClick={() =>
              act.mutate({ what: "share", labels: matched }, { onSuccess: () => trial.reset() })
            }
          >
            Share by specialism
          </Button>
        </Group>
      )}
      <div role="status">
        {tried && (
          <>
            <p>
              It would give {counted(tried.changed, "place")};{" "}
              {counted(tried.left, "stays free", "stay free")}.
            </p>
            <ul>
              {tried.experts.map((one) => (
                <li key={one.number}>
                  Expert {one.number}: {counted(one.places, "place")}, {one.in_field} in their field
                </li>
              ))}
            </ul>
          </>
        )}
        {!tried && act.data && `${counted(act.data.changed, "place")} given.`}
      </div>
      {(trial.error ?? act.error) && (
        <ErrorNotice title="Nothing was given" error={trial.error ?? act.error} />
      )}
    </Fold>
  );
}
