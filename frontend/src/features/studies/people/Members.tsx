import { i18n } from "@lingui/core";
import { plural, t as say } from "@lingui/core/macro";
import { Plural, Trans, useLingui } from "@lingui/react/macro";
import { NativeSelect, TextInput } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { useState } from "react";
import { useParams } from "react-router";
import type { Member, Study } from "~/api/types";
import { ErrorNotice } from "~/components/ErrorNotice";
import { Erase } from "~/components/erasing/Erase";
import { Loading } from "~/components/Loading";
import { Pager } from "~/components/lists/Pager";
import { type Column, Table } from "~/components/lists/Table";
import { Note } from "~/components/Note";
import { SimulatedMark } from "~/components/SimulatedMark";
import { isolated } from "~/languages/bidi";
import { inARow, inDigits, moment } from "~/languages/formats";
import { ROLE_NAMES, ROLES } from "../roles";
import { MemberDialog } from "./MemberDialog";
import classes from "./Members.module.css";
import {
  type MemberAct,
  type MemberFilters,
  ROWS,
  type Role,
  useMemberAct,
  useMembers,
} from "./members";

type Props = {
  study: Study;
  /** For admins: make a link for a member to choose a new password. */
  onRenew?: ((number: number) => void) | undefined;
};

/** Everybody who takes or took part, with a search and, for admins, changes. */
export function Members({ study, onRenew }: Props) {
  const { t } = useLingui();
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
          label={t`Find a person`}
          placeholder={isAdmin ? t`Name, address or number` : t`Name or number`}
          value={filters.search}
          onChange={(event) => narrow({ search: event.currentTarget.value })}
        />
        <NativeSelect
          label={t`Role`}
          value={filters.role}
          onChange={(event) => narrow({ role: event.currentTarget.value as MemberFilters["role"] })}
          data={[
            { value: "", label: t`Any role` },
            ...ROLES.map((role) => ({ value: role as string, label: t(ROLE_NAMES[role]) })),
          ]}
        />
        <NativeSelect
          label={t`Taking part`}
          value={filters.state}
          onChange={(event) =>
            narrow({ state: event.currentTarget.value as MemberFilters["state"] })
          }
          data={[
            { value: "", label: t`Now or before` },
            { value: "active", label: t`Now` },
            { value: "pending", label: t`Asked, not accepted yet` },
            { value: "left", label: t`Have left` },
          ]}
        />
      </div>
      {act.isSuccess && !asked && <Note live>{saidOf(act.data)}</Note>}
      {listed.isPending && <Loading />}
      {listed.error && (
        <ErrorNotice
          title={t`The people could not be loaded`}
          error={listed.error}
          onRetry={() => void listed.refetch()}
        />
      )}
      {listed.data && (
        <Table
          caption={t`Members of the study`}
          rows={listed.data.results}
          keyOf={(member) => member.number}
          empty={t`No matches.`}
          columns={[...facts(isAdmin, ask), ...(isAdmin ? [actions(ask, onRenew)] : [])]}
        />
      )}
      <Pager page={page} isLast={page >= pages} onPage={setPage} pages={pages} />
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
  const name = isolated(member.name);
  if (member.is_pending) return say`${name} has been asked, and takes part once they accept.`;
  if (!member.is_active) return say`${name} is no longer in the study.`;
  if (member.role === "expert") return say`${name} now takes part as an expert.`;
  return member.role === "researcher"
    ? say`${name} now takes part as a researcher.`
    : say`${name} now takes part as an admin.`;
}

function facts(isAdmin: boolean, ask: (act: MemberAct) => void): Column<Member>[] {
  return [
    { name: say`Number`, numeric: true, cell: (member) => member.number },
    {
      name: say`Name`,
      heads: true,
      cell: (member) => (
        <>
          <bdi>{member.name}</bdi> {member.is_simulated && <SimulatedMark what={say`Simulated`} />}
          {member.email && member.email !== member.name && (
            <div className="soft small">
              <bdi>{member.email}</bdi>
            </div>
          )}
        </>
      ),
    },
    {
      name: say`Role`,
      cell: (member) =>
        isAdmin && member.is_active && !member.is_simulated ? (
          <RoleChoice member={member} onRole={(role) => ask({ what: "role", member, role })} />
        ) : (
          i18n._(ROLE_NAMES[member.role])
        ),
    },
    {
      name: say({ message: "Done", context: "column" }),
      numeric: true,
      cell: (member) => (
        <>
          {doneInWords(member)}
          {member.answers_after_looking > 0 && (
            <div className="soft small">
              <Plural
                value={member.answers_after_looking}
                one="# after seeing distributions"
                other="# after seeing distributions"
              />
            </div>
          )}
        </>
      ),
    },
    { name: say`Last answer`, cell: (member) => moment(member.last_answer_at) },
    { name: say`Takes part`, cell: takesPartInWords },
    ...(isAdmin
      ? [
          {
            name: say`Background`,
            cell: (member: Member) =>
              inARow(
                Object.values(member.profile)
                  .filter((said) => said !== null)
                  .map((said) =>
                    typeof said === "number" ? inDigits(said) : isolated(String(said)),
                  ),
              ),
          },
        ]
      : []),
  ];
}

function RoleChoice({ member, onRole }: { member: Member; onRole: (role: Role) => void }) {
  const { t } = useLingui();
  const { name, role } = member;
  return (
    <NativeSelect
      aria-label={t`Role of ${name}`}
      className={classes.role}
      value={role}
      onChange={(event) => onRole(event.currentTarget.value as Role)}
      data={ROLES.map((one) => ({ value: one as string, label: t(ROLE_NAMES[one]) }))}
    />
  );
}

function doneInWords({ role, done, total, is_pending }: Member): string {
  if (role !== "expert" || is_pending) return "";
  if (total === null) return say`not started`;
  const [some, all] = [inDigits(done), inDigits(total)];
  return say`${some} of ${all}`;
}

function takesPartInWords({ is_active, is_pending, left_at, answers_left_out }: Member): string {
  if (is_active) return say`Yes`;
  if (is_pending) return say`Not accepted yet`;
  if (!left_at) return say`Did not accept`;
  const at = moment(left_at);
  return answers_left_out ? say`Left ${at}, answers left out` : say`Left ${at}`;
}

function actions(
  ask: (act: MemberAct) => void,
  onRenew: ((number: number) => void) | undefined,
): Column<Member> {
  return {
    name: say`Actions`,
    cell: (member) => <Actions member={member} ask={ask} onRenew={onRenew} />,
  };
}

type ActionsProps = {
  member: Member;
  ask: (act: MemberAct) => void;
  onRenew: ((number: number) => void) | undefined;
};

function Actions({ member, ask, onRenew }: ActionsProps) {
  const { t } = useLingui();
  const { slug = "" } = useParams();
  const { name, is_active, is_pending, is_simulated, role } = member;
  const isHere = is_active || is_pending;
  return (
    <div className={classes.actions}>
      {onRenew && is_active && !is_simulated && role !== "admin" && (
        <button
          type="button"
          className="linklike small"
          aria-label={t`New access link for ${name}`}
          onClick={() => onRenew(member.number)}
        >
          <Trans>New access link</Trans>
        </button>
      )}
      <button
        type="button"
        className="linklike small"
        aria-label={isHere ? t`Remove ${name}` : t`Ask back ${name}`}
        onClick={() => ask({ what: isHere ? "leave" : "return", member })}
      >
        {isHere ? <Trans>Remove</Trans> : <Trans>Ask back</Trans>}
      </button>
      <Erase target={{ what: "person", study: slug, number: member.number }} name={name} isLink />
    </div>
  );
}

/** The experts' progress in one sentence. */
export function startedInWords(members: Study["members"]): string {
  const experts = members.filter((member) => member.role === "expert");
  const waiting = experts.filter((member) => member.completed === 0).length;
  if (experts.length === 0) return say`No experts are taking part yet.`;
  if (waiting === 0) {
    return plural(experts.length, {
      one: "The only expert has started.",
      other: "All # experts have started.",
    });
  }
  if (waiting === experts.length) {
    return plural(waiting, {
      one: "The only expert has not started.",
      other: "None of the # experts have started.",
    });
  }
  const all = inDigits(experts.length);
  return plural(waiting, {
    one: `# of ${all} experts has not started.`,
    other: `# of ${all} experts have not started.`,
  });
}
