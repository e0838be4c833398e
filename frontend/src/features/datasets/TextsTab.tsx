import { plural, t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { Button, NativeSelect, TextInput } from "@mantine/core";
import { type FormEvent, useState } from "react";
import { Link, useSearchParams } from "react-router";
import type { InstanceRow } from "~/api/types";
import { ErrorNotice } from "~/components/ErrorNotice";
import { Loading } from "~/components/Loading";
import { Pager } from "~/components/lists/Pager";
import { decimals, inARow, inDigits } from "~/languages/formats";
import { type Order, useTexts } from "./calls";
import { useLoadedDataset } from "./DatasetLayout";
import classes from "./Datasets.module.css";
import { Glance } from "./Glance";
import { byShare, sharesInWords } from "./words";

const PER_PAGE = 25;
const orders = (): { value: Order; label: string }[] => [
  { value: "position", label: t`As imported` },
  { value: "-disagreement", label: t`Most disagreement first` },
  { value: "disagreement", label: t`Least disagreement first` },
  { value: "worst", label: t`Worst predictions first` },
];

/** The texts, searched, sorted, and one page at a time. The filters are in the address. */
export default function TextsTab() {
  const dataset = useLoadedDataset();
  const [address, setAddress] = useSearchParams();
  const wanted = {
    search: address.get("search") ?? "",
    order: (address.get("order") ?? "position") as Order,
    system: address.get("system") ?? "",
    label: address.get("label") ?? "",
    page: Math.max(1, Number(address.get("page")) || 1),
  };
  const [search, setSearch] = useState(wanted.search);
  const texts = useTexts(dataset.slug, wanted);

  function want(changes: Partial<Record<keyof typeof wanted, string>>) {
    const next = new URLSearchParams(address);
    next.delete("page");
    for (const [name, value] of Object.entries(changes)) {
      if (value) next.set(name, value);
      else next.delete(name);
    }
    setAddress(next, { replace: true });
  }

  function find(event: FormEvent) {
    event.preventDefault();
    want({ search: search.trim() });
  }

  const count = texts.data?.count ?? 0;
  const first = (wanted.page - 1) * PER_PAGE + 1;
  const last = Math.min(count, wanted.page * PER_PAGE);
  const [from, to, all] = [inDigits(first), inDigits(last), inDigits(count)];
  return (
    <>
      {dataset.labels.length > 0 && <Glance dataset={dataset} />}
      <form className={classes.filters} onSubmit={find}>
        <TextInput
          label={t`Find in texts`}
          value={search}
          onChange={(event) => setSearch(event.currentTarget.value)}
        />
        {dataset.labels.length > 0 && (
          <>
            <NativeSelect
              label={t`Order`}
              value={wanted.order}
              onChange={(event) => want({ order: event.currentTarget.value })}
              data={orders().filter(({ value }) => value !== "worst" || dataset.systems.length > 0)}
            />
            {wanted.order === "worst" && (
              <NativeSelect
                label={t`System`}
                value={wanted.system}
                onChange={(event) => want({ system: event.currentTarget.value })}
                data={[
                  { value: "", label: t`All systems together` },
                  ...dataset.systems.map(({ name }) => name),
                ]}
              />
            )}
            <NativeSelect
              label={t`Label`}
              value={wanted.label}
              onChange={(event) => want({ label: event.currentTarget.value })}
              data={[{ value: "", label: t`Any` }, ...dataset.labels]}
            />
          </>
        )}
        <div>
          <Button type="submit" variant="default">
            <Trans>Find</Trans>
          </Button>
        </div>
      </form>
      {texts.error && (
        <ErrorNotice
          title={t`The texts could not be loaded`}
          error={texts.error}
          onRetry={() => void texts.refetch()}
        />
      )}
      {texts.isPending && <Loading />}
      {texts.data && (
        <>
          <p className="soft" role="status">
            {count === 0 ? t`No matching texts.` : t`Texts ${from} to ${to} of ${all}`}
          </p>
          {count > 0 && (
            <ol className={classes.texts} aria-label={t`Texts`}>
              {texts.data.results.map((text) => (
                <TextRow
                  key={text.position}
                  slug={dataset.slug}
                  text={text}
                  parts={dataset.task !== "multilabel"}
                />
              ))}
            </ol>
          )}
          <Pager
            page={wanted.page}
            isLast={!texts.data.next}
            onPage={(page) => want({ page: String(page) })}
          />
        </>
      )}
    </>
  );
}

function TextRow({ slug, text, parts }: { slug: string; text: InstanceRow; parts: boolean }) {
  const { disagreement, distance, people } = text;
  return (
    <li className={classes.row}>
      <div>
        <Link to={`/datasets/${slug}/texts/${text.position}`}>{text.external_id}</Link>
        <div dir={text.direction} lang={text.language}>
          {text.segments?.map((segment) => (
            <p key={segment.name}>
              {segment.name && <span className="soft">{segment.name}: </span>}
              {segment.text}
            </p>
          ))}
        </div>
        {text.withdrawn && (
          <p className="soft">
            <Trans>Withdrawn: the text identifies a person.</Trans>
          </p>
        )}
      </div>
      {disagreement !== null && (
        <div className="small">
          {parts && (
            <div className={classes.stack} aria-hidden="true">
              {byShare(text.shares).map(([label, share]) => (
                <span key={label} style={{ width: `${share * 100}%` }} />
              ))}
            </div>
          )}
          <p>{sharesInWords(text.shares)}</p>
          <p className="soft">
            {inARow([
              t`Disagreement: ${decimals(disagreement)}`,
              people !== null && plural(people, { one: "# person", other: "# people" }),
              distance !== null && t`systems off by ${decimals(distance)}`,
            ])}
          </p>
        </div>
      )}
    </li>
  );
}
