import { Link } from "react-router";
import type { Dataset } from "~/api/types";
import { Loading } from "~/components/Loading";
import { counted } from "~/components/words";
import { useGlance } from "./calls";
import classes from "./Datasets.module.css";
import { disagreementInWords, percent, sharesInWords } from "./words";

/** How far people agree, before anything else is read. */
export function Glance({ dataset }: { dataset: Dataset }) {
  const glance = useGlance(dataset.slug);
  if (glance.isPending) return <Loading />;
  if (!glance.data || glance.data.disagreement === null) return null;
  const { disagreement, histogram, alpha, people, fewest, most, shares } = glance.data;
  const largest = Math.max(1, ...histogram);
  const total = histogram.reduce((sum, count) => sum + count, 0) || 1;
  const described = histogram
    .map((count, bin) => `${bin / 10} to ${(bin + 1) / 10}: ${counted(count, "text")}`)
    .join("; ");
  return (
    <div className={classes.glance}>
      <div>
        <p>
          <strong>
            On a typical text {disagreementInWords(disagreement)}: mean disagreement{" "}
            {disagreement.toFixed(2)} of 1.
          </strong>
        </p>
        <p className="soft">
          {alpha !== null && `Krippendorff’s alpha ${alpha.toFixed(2)} (nominal). `}
          {fewest !== null && most !== null && (
            <>
              {fewest === most ? fewest : `${fewest} to ${most}`} judgements per text
              {people !== null && ` by ${counted(people, "person", "people")}`}.{" "}
            </>
          )}
          Most often chosen: {sharesInWords(shares)}.{" "}
          <Link to={`/datasets/${dataset.slug}/analyses`}>Analyse agreement</Link>
        </p>
      </div>
      <div>
        <div
          className={classes.histogram}
          role="img"
          aria-label={`Texts by disagreement. ${described}`}
        >
          {histogram.map((count, bin) => (
            <span
              // biome-ignore lint/suspicious/noArrayIndexKey: a bin is its place
              key={bin}
              title={`${counted(count, "text")} (${percent(count / total)})`}
              style={{ height: `${(count / largest) * 100}%` }}
            />
          ))}
        </div>
        <div className={`${classes.ends} soft small`}>
          <span>all agree</span>
          <span>evenly split</span>
        </div>
      </div>
    </div>
  );
}
