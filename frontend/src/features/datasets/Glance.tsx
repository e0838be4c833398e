import { plural, t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { Link } from "react-router";
import type { Dataset } from "~/api/types";
import { Loading } from "~/components/Loading";
import { decimals, inDigits, percent } from "~/languages/formats";
import { useGlance } from "./calls";
import classes from "./Datasets.module.css";
import { disagreementInWords, sharesInWords } from "./words";

/** How much people agree, at a glance. */
export function Glance({ dataset }: { dataset: Dataset }) {
  const glance = useGlance(dataset.slug);
  if (glance.isPending) return <Loading />;
  if (!glance.data || glance.data.disagreement === null) return null;
  const { disagreement, histogram, alpha, people, fewest, most, shares } = glance.data;
  const largest = Math.max(1, ...histogram);
  const total = histogram.reduce((sum, count) => sum + count, 0) || 1;
  const mean = decimals(disagreement);
  const frequent = sharesInWords(shares);
  const described = histogram.map((count, bin) => binInWords(count, bin)).join("; ");
  return (
    <div className={classes.glance}>
      <div>
        <p>
          <strong>
            {disagreementInWords(disagreement)} <Trans>Mean disagreement: {mean} out of 1.</Trans>
          </strong>
        </p>
        <p className="soft">
          {alpha !== null && t`Krippendorff’s alpha: ${decimals(alpha)} (nominal).`}{" "}
          {fewest !== null && most !== null && judgementsInWords(fewest, most)}{" "}
          {people !== null &&
            plural(people, { one: "Labelled by # person.", other: "Labelled by # people." })}{" "}
          <Trans>Most frequent: {frequent}.</Trans>{" "}
          <Link to={`/datasets/${dataset.slug}/analyses`}>
            <Trans>Analyse agreement</Trans>
          </Link>
        </p>
      </div>
      <div>
        <div
          className={classes.histogram}
          role="img"
          aria-label={t`Texts by disagreement. ${described}`}
        >
          {histogram.map((count, bin) => (
            <span
              // biome-ignore lint/suspicious/noArrayIndexKey: a bin is its place
              key={bin}
              title={`${textsInWords(count)} (${percent(count / total)})`}
              style={{ height: `${(count / largest) * 100}%` }}
            />
          ))}
        </div>
        <div className={`${classes.ends} soft small`}>
          <span>
            <Trans>all agree</Trans>
          </span>
          <span>
            <Trans>evenly split</Trans>
          </span>
        </div>
      </div>
    </div>
  );
}

const textsInWords = (count: number) => plural(count, { one: "# text", other: "# texts" });

function binInWords(count: number, bin: number): string {
  const [from, to, texts] = [inDigits(bin / 10), inDigits((bin + 1) / 10), textsInWords(count)];
  return t`${from} to ${to}: ${texts}`;
}

function judgementsInWords(fewest: number, most: number): string {
  if (fewest === most)
    return plural(fewest, { one: "# judgement per text.", other: "# judgements per text." });
  const [least, greatest] = [inDigits(fewest), inDigits(most)];
  return t`${least} to ${greatest} judgements per text.`;
}
