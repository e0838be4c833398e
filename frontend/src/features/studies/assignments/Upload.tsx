import { Button, Textarea } from "@mantine/core";
import { useState } from "react";
import { ErrorNotice } from "~/components/ErrorNotice";
import { Fold } from "~/components/Fold";
import { counted } from "~/components/words";
import { useAct } from "./calls";

/** A list of who answers what: tried first, then followed as a whole or not at all. */
export function Upload({ slug }: { slug: string }) {
  const act = useAct(slug);
  const [csv, setCsv] = useState("");
  const tried =
    act.variables?.what === "upload" && act.variables.csv === csv ? act.data : undefined;
  const isGood = tried && tried.problems.length === 0;
  return (
    <Fold title="Give by a list" rows={9}>
      <Textarea
        label="The list"
        description="Two columns with commas between them: the numbers of the comparison and of the expert."
        placeholder={"comparison,expert\n0,3\n1,5"}
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
          Try the list
        </Button>{" "}
        <Button
          disabled={!isGood || tried.event !== null || act.isPending}
          onClick={() => act.mutate({ what: "upload", csv, dry_run: false })}
        >
          Give what it says
        </Button>
      </p>
      <div role="status">
        {isGood &&
          (tried.event === null
            ? `The list can be followed: it gives ${counted(tried.changed, "place")}.`
            : `${counted(tried.changed, "place")} given.`)}
        {tried && tried.problems.length > 0 && (
          <>
            <p>Nothing would be given, because of {counted(tried.problems.length, "row")}:</p>
            <ul>
              {tried.problems.slice(0, 50).map((problem) => (
                <li key={problem}>{problem}</li>
              ))}
            </ul>
          </>
        )}
      </div>
      {act.error && <ErrorNotice title="Nothing was given" error={act.error} />}
    </Fold>
  );
}
