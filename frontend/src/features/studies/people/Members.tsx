import { NativeSelect, TextInput } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { useState } from "react";
import type { Member, Study } from "~/api/types";
import { ErrorNotice } from "~/components/ErrorNotice";
import { Loading } from "~/components/Loading";
import { Pager } from "~/components/lists/Pager";
import { type Column, Table } from "~/components/lists/Table";
import { Note } from "~/components/Note";
import { SimulatedMark } from "~/components/SimulatedMark";
import { counted, moment, readable } from "~/components/words";
import { MemberDialog } from "./MemberDialog";
import classes from "./Members.module.css";
import { type MemberAct, type MemberFilters, ROWS, useMemberAct, useMembers } from "./members";

const ROLES = ["expert", "researcher", "admin"] as const;

type Props = {
  study: Study;
  /** For admins: make a link by which a member chooses a new password. */
  onRenew?: ((number: number) => void) | undefined;
};

/** Everybody who takes part or took part: found, and for admins changed. */
export function Members({ study, onRenew }: Props) {
  const [filters, setFilters] = useState<MemberFilters>({ role: "", state: "", search: "" });
  const [page, setPage] = useState(1);
  const [search] = useDebouncedValue(filters.search, 250);
  const listed = useMembers(study.slug, { ...filters, search }, page);
  const act = useMemberAct(study.slug);
  const [asked, setAsked] = useState<MemberAct | null>(null);
  const isAdmin = study.role === "admin";
  const narrow = (change: Partial<MemberFilters>) => {
    setFilters({ ...filters, ...change });
    setPage(1);
  };
  const ask = (wanted: MemberAct) => {
    act.reset();
    setAsked(wanted);
  };
  const pages = Math.max(1, Math.ceil((listed.data?.count ?? 0) / ROWS));
  return (
    <>
      <div className={classes.filters}>
        <TextInput
          label="Find a person"
          placeholder={isAdmin ? "Name, address or number" : "Name or number"}
          value={filters.search}
          onChange={(event) => narrow({ search: event.currentTarget.value })}
        />
        <NativeSelect
          label="In the role"
          value={filters.role}
          onChange={(event) => narrow({ role: event.currentTarget.value as MemberFilters["role"] })}
          data={[
            { value: "", label: "Any role" },
            ...ROLES.map((role) => ({ value: role as string, label: readable(role) })),
          ]}
        />
        <NativeSelect
          label="Taking part"
          value={filters.state}
          onChange={(event) =>
            narrow({ state: event.currentTarget.value as MemberFilters["state"] })
          }
          data={[
            { value: "", label: "Now or before" },
            { value: "active", label: "Now" },
            { value: "left", label: "Have left" },
          ]}
        />
      </div>
      {act.isSuccess && !asked && <Note live>{saidOf(act.data)}</Note>}
      {listed.isPending && <Loading />}
      {listed.error && (
        <ErrorNotice
          title="The people cannot be shown"
          error={listed.error}
          onRetry={() => void listed.refetch()}
        />
      )}
      {listed.data && (
        <Table
          caption="Members of the study"
          rows={listed.data.results}
          keyOf={(member) => member.number}
          empty="Nobody fits."
          columns={[...facts(isAdmin, ask), ...(isAdmin ? [actions(ask, onRenew)] : [])]}
        />
      )}
      <Pager page={page} isLast={page >= pages} onPage={setPage} says={` of ${pages}`} />
      {asked && (
        <MemberDialog
          study={study}
          asked={asked}
          error={act.error}
          isPending={act.isPending}
          onGo={() => act.mutate(asked, { onSuccess: () => setAsked(null) })}
          onClose={() => setAsked(null)}
        />
      )}
    </>
  );
}

function saidOf(member: Member): string {
  if (!member.is_active) return `${member.name} has left the study.`;
  return `${member.name} takes part as ${readable(member.role).toLowerCase()}.`;
}

function facts(isAdmin: boolean, ask: (act: MemberAct) => void): Column<Member>[] {
  return [
    { name: "Number", numeric: true, cell: (member) => member.number },
    {
      name: "Name",
      heads: true,
      cell: (member) => (
        <>
          {member.name} {member.is_simulated && <SimulatedMark what="Simulated" />}
          {member.email && member.email !== member.name && (
            <div className="soft small">{member.email}</div>
          )}
        </>
      ),
    },
    {
      name: "Role",
      cell: (member) =>
        isAdmin && member.is_active && !member.is_simulated ? (
          <NativeSelect
            aria-label={`Role of ${member.name}`}
            className={classes.role}
            value={member.role}
            onChange={(event) => {
              const role = event.currentTarget.value as Member["role"];
              ask({ what: "role", member, role });
            }}
            data={ROLES.map((role) => ({ value: role as string, label: readable(role) }))}
          />
        ) : (
          readable(member.role)
        ),
    },
    {
      name: "Done",
      numeric: true,
      cell: (member) =>
        member.role !== "expert"
          ? ""
          : member.total === null
            ? "not started"
            : `${member.done} of ${member.total}`,
    },
    { name: "Last answer", cell: (member) => moment(member.last_answer_at) },
    {
      name: "Takes part",
      cell: (member) =>
        member.is_active
          ? "Yes"
          : `Left ${moment(member.left_at)}${member.answers_left_out ? ", answers left out" : ""}`,
    },
    ...(isAdmin
      ? [
          {
            name: "About them",
            cell: (member: Member) =>
              Object.values(member.profile)
                .filter((said) => said !== null)
                .join(", "),
          },
        ]
      : []),
  ];
}

function actions(
  ask: (act: MemberAct) => void,
  onRenew: ((number: number) => void) | undefined,
): Column<Member> {
  return {
    name: "Actions",
    cell: (member) => (
      <div className={classes.actions}>
        {onRenew && member.is_active && !member.is_simulated && member.role !== "admin" && (
          <button
            type="button"
            className="linklike small"
            aria-label={`New access link for ${member.name}`}
            onClick={() => onRenew(member.number)}
          >
            New access link
          </button>
        )}
        <button
          type="button"
          className="linklike small"
          aria-label={`${member.is_active ? "Take out" : "Take back in:"} ${member.name}`}
          onClick={() => ask({ what: member.is_active ? "leave" : "return", member })}
        >
          {member.is_active ? "Take out" : "Take back in"}
        </button>
      </div>
    ),
  };
}

/** How far the experts are, in one sentence. */
export function startedInWords(members: Study["members"]): string {
  const experts = members.filter((member) => member.role === "expert");
  const waiting = experts.filter((member) => member.completed === 0).length;
  if (experts.length === 0) return "No expert takes part yet.";
  if (waiting === 0) return `All of the ${counted(experts.length, "expert")} have started.`;
  const verb = waiting === 1 ? "has" : "have";
  return `${waiting} of ${counted(experts.length, "expert")} ${verb} not started.`;
}
