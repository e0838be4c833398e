import { Button, Group } from "@mantine/core";
import { ErrorNotice } from "~/components/ErrorNotice";
import { Fold } from "~/components/Fold";
import { counted } from "~/components/words";
import { useAct, useTrial } from "./calls";

/** Free places go first to those whose specialism is the label that most people chose: tried, then given. */
export function BySpecialism({ slug }: { slug: string }) {
  const trial = useTrial(slug);
  const act = useAct(slug);
  const tried = trial.data;
  return (
    <Fold title="Share by specialism" rows={6}>
      <p>
        A text goes first to the experts whose specialism is the label that most people chose for
        it, evenly among them. What is left is shared evenly among all. Experts are not told.
      </p>
      <Group gap="sm" my="sm">
        <Button variant="default" disabled={trial.isPending} onClick={() => trial.mutate()}>
          See what it would give
        </Button>
        <Button
          disabled={!tried || tried.changed === 0 || act.isPending}
          onClick={() =>
            act.mutate({ what: "share", rule: "specialism" }, { onSuccess: () => trial.reset() })
          }
        >
          Share by specialism
        </Button>
      </Group>
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
