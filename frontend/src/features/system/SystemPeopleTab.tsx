import { plural, t } from "@lingui/core/macro";
import { NativeSelect, Switch, TextInput } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { useState } from "react";
import { useSession } from "~/api/session";
import { ErrorNotice } from "~/components/ErrorNotice";
import { Erase } from "~/components/erasing/Erase";
import { Loading } from "~/components/Loading";
import { Pager } from "~/components/lists/Pager";
import { Table } from "~/components/lists/Table";
import { Section } from "~/components/Section";
import { moment } from "~/components/words";
import { type Change, type RoleFilter, useChangeUser, useUsers } from "./calls";
import { InviteHere } from "./InviteHere";
import { PersonsSessions } from "./PersonsSessions";
import { ResetSecondFactor } from "./ResetSecondFactor";
import classes from "./System.module.css";

const PAGE = 50;
const WAIT_MS = 250;

/** For admins of the installation: who has an account, what each may do, and inviting more. */
export default function SystemPeopleTab() {
  return (
    <>
      <Section title={t`People with accounts`}>
        <People />
      </Section>
      <Section title={t`Invite people to this server`}>
        <InviteHere />
      </Section>
    </>
  );
}

function People() {
  const [typed, setTyped] = useState("");
  const [search] = useDebouncedValue(typed, WAIT_MS);
  const [role, setRole] = useState<RoleFilter>("");
  const [page, setPage] = useState(1);
  const me = useSession().data?.user?.id;
  const users = useUsers({ search, role, page });
  const change = useChangeUser();
  if (users.error) {
    return (
      <ErrorNotice
        title={t`The people could not be loaded`}
        error={users.error}
        onRetry={() => void users.refetch()}
      />
    );
  }
  if (!users.data) return <Loading />;
  const { count, results } = users.data;
  const set = (id: number, wanted: Change) => change.mutate({ id, change: wanted });
  const toggle = (row: Person, name: keyof Change, label: string, fixed = false) => (
    <Switch
      aria-label={`${label}: ${row.email}`}
      checked={row[name]}
      disabled={change.isPending || fixed}
      onChange={(event) => set(row.id, { [name]: event.currentTarget.checked })}
    />
  );
  return (
    <>
      <p>{plural(count, { one: "# person", other: "# people" })}</p>
      <div className={classes.filters}>
        <TextInput
          label={t`Name or address`}
          value={typed}
          onChange={(event) => {
            setTyped(event.currentTarget.value);
            setPage(1);
          }}
        />
        <NativeSelect
          label={t`Show`}
          value={role}
          onChange={(event) => {
            setRole(event.currentTarget.value as RoleFilter);
            setPage(1);
          }}
          data={[
            { value: "", label: t`Everyone` },
            { value: "admin", label: t`Admins` },
            { value: "may_import", label: t`Can import` },
            { value: "may_create", label: t`Can create studies` },
            { value: "closed", label: t`Closed accounts` },
          ]}
        />
      </div>
      {change.error && <ErrorNotice title={t`Nothing was changed`} error={change.error} />}
      <Table
        caption={t`People on this server`}
        rows={results}
        keyOf={(row) => row.id}
        empty={t`No matches.`}
        columns={[
          {
            name: t`Person`,
            heads: true,
            cell: (row) => <bdi>{row.name ? `${row.name}, ${row.email}` : row.email}</bdi>,
          },
          {
            name: t`Change`,
            cell: (row) => row.id !== me && <Acts row={row} />,
          },
          {
            name: t`Can import`,
            cell: (row) => toggle(row, "can_import", t`Can import`, row.is_admin),
          },
          {
            name: t`Can create studies`,
            cell: (row) => toggle(row, "can_create_studies", t`Can create studies`, row.is_admin),
          },
          {
            name: t`Admin`,
            cell: (row) => toggle(row, "is_admin", t`Admin`, row.id === me),
          },
          {
            name: t`Can sign in`,
            cell: (row) => toggle(row, "is_active", t`Can sign in`, row.id === me),
          },
          { name: t`Last signed in`, cell: (row) => <LastSeen row={row} /> },
        ]}
      />
      <Pager page={page} isLast={page * PAGE >= count} onPage={setPage} />
    </>
  );
}

type Person = NonNullable<ReturnType<typeof useUsers>["data"]>["results"][number];

/** Next to the person, so that they are in sight at every width. */
function Acts({ row }: { row: Person }) {
  return (
    <div className={classes.acts}>
      <PersonsSessions id={row.id} email={row.email} />
      {row.has_second_factor && <ResetSecondFactor id={row.id} email={row.email} />}
      <Erase target={{ what: "person", person: row.id }} name={row.name || row.email} isLink />
    </div>
  );
}

function LastSeen({ row }: { row: Person }) {
  const { studies } = row;
  return (
    <>
      {moment(row.last_signed_in_at) || t`Never`}
      <div className="soft small">
        {plural(studies, { one: "# study", other: "# studies" })}
        {row.has_second_factor && <div>{t`Second factor on`}</div>}
      </div>
    </>
  );
}
