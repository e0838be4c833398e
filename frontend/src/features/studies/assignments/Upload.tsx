import { plural } from "@lingui/core/macro";
import { Plural, Trans, useLingui } from "@lingui/react/macro";
import { Button, Textarea } from "@mantine/core";
import { useState } from "react";
import { ErrorNotice } from "~/components/ErrorNotice";
import { Fold } from "~/components/Fold";
import { useAct } from "./calls";
import { assignedInWords } from "./words";

/** A list of who answers what: first tried out, then applied completely or not at all. */
export function Upload({ slug }: { slug: string }) {
  const { t } = useLingui();
  const act = useAct(slug);
  const [csv, setCsv] = useState("");
  const tried =
    act.variables?.what === "upload" && act.variables.csv === csv ? act.data : undefined;
  const isGood = tried && tried.problems.length === 0;
  return (
    <Fold title={t`Assign from a list`} rows={9}>
      <Textarea
        dir="ltr"
        label={t`List of assignments`}
        description={t`Two columns separated by commas: the comparison number and the expert number.`}
        placeholder={"comparison,expert\n0,3\n1,5"} /* not words */
        autosize
        minRows={4}
        maxRows={12}
        value={csv}
        onChange={(event) => setCsv(event.currentTarget.value)}
      />
      <p>
        <Button
          variant="default"
          disabled={!csv.trim() || act.isPending}
          onClick={() => act.mutate({ what: "upload", csv, dry_run: true })}
        >
          <Trans>Check the list</Trans>
        </Button>{" "}
        <Button
          disabled={!isGood || tried.event !== null || act.isPending}
          onClick={() => act.mutate({ what: "upload", csv, dry_run: false })}
        >
          <Trans>Assign as listed</Trans>
        </Button>
      </p>
      <div role="status">
        {isGood &&
          (tried.event === null
            ? plural(tried.changed, {
                one: "The list is valid and assigns # place.",
                other: "The list is valid and assigns # places.",
              })
            : assignedInWords(tried.changed))}
        {tried && tried.problems.length > 0 && (
          <>
            <p>
              <Plural
                value={tried.problems.length}
                one="Nothing can be assigned because of a problem in # row:"
                other="Nothing can be assigned because of problems in # rows:"
              />
            </p>
            <ul dir="auto">
              {tried.problems.slice(0, 50).map((problem) => (
                <li key={problem}>{problem}</li>
              ))}
            </ul>
          </>
        )}
      </div>
      {act.error && <ErrorNotice title={t`Nothing was assigned`} error={act.error} />}
    </Fold>
  );
}
