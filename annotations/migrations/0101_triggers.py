"""What a column constraint cannot say, said as triggers, on SQLite and PostgreSQL alike.

- Responses, events and decisions are append-only; those that may be erased open to an erasure and to nothing else
  (annotations/erasing/subjects.py).
- Step 1 cannot be stored any more once step 2 was shown, step 2 not before it was shown, a guess not before the answer.
- An assignment has the study and the instance of its comparison; a side and its turn are never changed.
- What an expert's assignments come to, how many comparisons a study has and the rows of a comparison are kept beside
  them and follow every statement, whoever makes it.

The texts are frozen: a change of a trigger is a migration of its own.
"""

from django.db import migrations

from annotations.migrations._triggers import MakeTriggers, Trigger

TRIGGERS = {
    "assignment_of_its_comparison": Trigger(
        table="annotations_assignment",
        sqlite="""
            CREATE TRIGGER assignment_of_its_comparison BEFORE INSERT ON annotations_assignment
            WHEN NOT EXISTS (SELECT 1 FROM annotations_comparison c WHERE c.id = NEW.comparison_id
                AND c.study_id = NEW.study_id AND c.instance_id = NEW.instance_id)
            BEGIN
                SELECT RAISE(ABORT, 'an assignment has the study and the instance of its comparison');
            END
        """,
        postgresql="""
            CREATE FUNCTION assignment_of_its_comparison() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
                IF NOT EXISTS (SELECT 1 FROM annotations_comparison c WHERE c.id = NEW.comparison_id
                    AND c.study_id = NEW.study_id AND c.instance_id = NEW.instance_id)
                THEN
                    RAISE EXCEPTION 'an assignment has the study and the instance of its comparison'
                        USING ERRCODE = '23514';
                END IF;
                RETURN NEW;
            END $$;
            CREATE TRIGGER assignment_of_its_comparison BEFORE INSERT ON annotations_assignment FOR EACH ROW
                EXECUTE FUNCTION assignment_of_its_comparison()
        """,
    ),
    "born_unshown": Trigger(
        table="annotations_assignment",
        sqlite="""
            CREATE TRIGGER born_unshown BEFORE INSERT ON annotations_assignment
            WHEN NEW.comparison_shown_at IS NOT NULL
            BEGIN
                SELECT RAISE(ABORT, 'an assignment cannot be shown before step 1 is stored');
            END
        """,
        postgresql="""
            CREATE FUNCTION born_unshown() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
                IF NEW.comparison_shown_at IS NOT NULL
                THEN
                    RAISE EXCEPTION 'an assignment cannot be shown before step 1 is stored'
                        USING ERRCODE = '23514';
                END IF;
                RETURN NEW;
            END $$;
            CREATE TRIGGER born_unshown BEFORE INSERT ON annotations_assignment FOR EACH ROW
                EXECUTE FUNCTION born_unshown()
        """,
    ),
    "seen_before_is_restored": Trigger(
        table="annotations_assignment",
        sqlite="""
            CREATE TRIGGER seen_before_is_restored BEFORE INSERT ON annotations_assignment
            WHEN NEW.seen_before AND (NEW.expert_id IS NULL OR NEW.repeat_of_id IS NOT NULL
                OR NOT EXISTS (SELECT 1 FROM annotations_event e WHERE e.study_id = NEW.study_id
                AND e.kind = 'responses_imported'))
            BEGIN
                SELECT RAISE(ABORT, 'only restored answers may be of a text that the expert had seen before');
            END
        """,
        postgresql="""
            CREATE FUNCTION seen_before_is_restored() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
                IF NEW.seen_before AND (NEW.expert_id IS NULL OR NEW.repeat_of_id IS NOT NULL
                    OR NOT EXISTS (SELECT 1 FROM annotations_event e WHERE e.study_id = NEW.study_id
                    AND e.kind = 'responses_imported'))
                THEN
                    RAISE EXCEPTION 'only restored answers may be of a text that the expert had seen before'
                        USING ERRCODE = '23514';
                END IF;
                RETURN NEW;
            END $$;
            CREATE TRIGGER seen_before_is_restored BEFORE INSERT ON annotations_assignment FOR EACH ROW
                EXECUTE FUNCTION seen_before_is_restored()
        """,
    ),
    "seen_before_stays": Trigger(
        table="annotations_assignment",
        sqlite="""
            CREATE TRIGGER seen_before_stays BEFORE UPDATE ON annotations_assignment
            WHEN NEW.seen_before <> OLD.seen_before
            BEGIN
                SELECT RAISE(ABORT, 'whether an expert had seen a text before is never changed');
            END
        """,
        postgresql="""
            CREATE FUNCTION seen_before_stays() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
                IF NEW.seen_before <> OLD.seen_before
                THEN
                    RAISE EXCEPTION 'whether an expert had seen a text before is never changed'
                        USING ERRCODE = '23514';
                END IF;
                RETURN NEW;
            END $$;
            CREATE TRIGGER seen_before_stays BEFORE UPDATE ON annotations_assignment FOR EACH ROW
                EXECUTE FUNCTION seen_before_stays()
        """,
    ),
    "shown_after_step_1": Trigger(
        table="annotations_assignment",
        sqlite="""
            CREATE TRIGGER shown_after_step_1 BEFORE UPDATE ON annotations_assignment
            WHEN NEW.comparison_shown_at IS NOT NULL AND OLD.comparison_shown_at IS NULL AND NOT EXISTS (SELECT
                1 FROM annotations_labelresponse r WHERE r.assignment_id = NEW.id)
            BEGIN
                SELECT RAISE(ABORT, 'step 2 may not be shown before step 1 is stored');
            END
        """,
        postgresql="""
            CREATE FUNCTION shown_after_step_1() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
                IF NEW.comparison_shown_at IS NOT NULL AND OLD.comparison_shown_at IS NULL
                    AND NOT EXISTS (SELECT 1 FROM annotations_labelresponse r WHERE r.assignment_id = NEW.id)
                THEN
                    RAISE EXCEPTION 'step 2 may not be shown before step 1 is stored' USING ERRCODE = '23514';
                END IF;
                RETURN NEW;
            END $$;
            CREATE TRIGGER shown_after_step_1 BEFORE UPDATE ON annotations_assignment FOR EACH ROW
                EXECUTE FUNCTION shown_after_step_1()
        """,
    ),
    "side_never_changes": Trigger(
        table="annotations_assignment",
        sqlite="""
            CREATE TRIGGER side_never_changes BEFORE UPDATE ON annotations_assignment
            WHEN OLD.side_order <> '' AND (NEW.side_order <> OLD.side_order OR NEW.phase <> OLD.phase
                OR COALESCE(NEW.turn, -1) <> COALESCE(OLD.turn, -1) OR COALESCE(NEW.side_rule,
                -1) <> COALESCE(OLD.side_rule, -1))
            BEGIN
                SELECT RAISE(ABORT, 'a side and its turn are never changed once step 2 was shown');
            END
        """,
        postgresql="""
            CREATE FUNCTION side_never_changes() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
                IF OLD.side_order <> '' AND (NEW.side_order <> OLD.side_order OR NEW.phase <> OLD.phase
                    OR COALESCE(NEW.turn, -1) <> COALESCE(OLD.turn, -1) OR COALESCE(NEW.side_rule,
                    -1) <> COALESCE(OLD.side_rule, -1))
                THEN
                    RAISE EXCEPTION 'a side and its turn are never changed once step 2 was shown'
                        USING ERRCODE = '23514';
                END IF;
                RETURN NEW;
            END $$;
            CREATE TRIGGER side_never_changes BEFORE UPDATE ON annotations_assignment FOR EACH ROW
                EXECUTE FUNCTION side_never_changes()
        """,
    ),
    "tally_delete": Trigger(
        table="annotations_assignment",
        sqlite="""
            CREATE TRIGGER tally_delete AFTER DELETE ON annotations_assignment
            BEGIN
                UPDATE annotations_membership SET tally = NULL WHERE tally IS NOT NULL AND id = OLD.expert_id;
                UPDATE annotations_study SET pool_version = pool_version + 1 WHERE id = OLD.study_id
                    AND OLD.expert_id IS NULL AND OLD.released_at IS NULL;
            END
        """,
        postgresql="""
            CREATE FUNCTION tally_delete() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
                UPDATE annotations_membership SET tally = NULL WHERE tally IS NOT NULL AND id IN (SELECT
                    expert_id FROM stale WHERE expert_id IS NOT NULL);
                UPDATE annotations_study SET pool_version = pool_version + 1 WHERE id IN (SELECT study_id
                    FROM stale WHERE expert_id IS NULL AND released_at IS NULL);
                RETURN NULL;
            END $$;
            CREATE TRIGGER tally_delete AFTER DELETE ON annotations_assignment REFERENCING OLD TABLE AS stale
                FOR EACH STATEMENT EXECUTE FUNCTION tally_delete()
        """,
    ),
    "tally_insert": Trigger(
        table="annotations_assignment",
        sqlite="""
            CREATE TRIGGER tally_insert AFTER INSERT ON annotations_assignment
            WHEN NEW.expert_id IS NOT NULL
            BEGIN
                UPDATE annotations_membership SET tally = NULL WHERE tally IS NOT NULL AND id = NEW.expert_id;
            END
        """,
        postgresql="""
            CREATE FUNCTION tally_insert() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
                UPDATE annotations_membership SET tally = NULL WHERE tally IS NOT NULL AND id IN (SELECT
                    expert_id FROM fresh WHERE expert_id IS NOT NULL);
                RETURN NULL;
            END $$;
            CREATE TRIGGER tally_insert AFTER INSERT ON annotations_assignment REFERENCING NEW TABLE AS fresh
                FOR EACH STATEMENT EXECUTE FUNCTION tally_insert()
        """,
    ),
    "tally_update": Trigger(
        table="annotations_assignment",
        sqlite="""
            CREATE TRIGGER tally_update AFTER UPDATE ON annotations_assignment
            WHEN OLD.expert_id IS NOT NULL OR NEW.expert_id IS NOT NULL
            BEGIN
                UPDATE annotations_membership SET tally = NULL WHERE tally IS NOT NULL AND id IN (OLD.expert_id,
                    NEW.expert_id);
                UPDATE annotations_membership SET claims = claims + 1 WHERE id = NEW.expert_id AND OLD.expert_id
                    IS NULL AND NOT EXISTS (SELECT 1 FROM annotations_assignment AS higher
                    WHERE higher.comparison_id = NEW.comparison_id AND higher.place > NEW.place
                    AND higher.expert_id IS NULL AND higher.released_at IS NULL);
            END
        """,
        postgresql="""
            CREATE FUNCTION tally_update() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
                UPDATE annotations_membership SET tally = NULL, claims = claims + changed.taken FROM (SELECT
                    expert, sum(taken) AS taken FROM (SELECT fresh.expert_id AS expert, CASE WHEN
                    stale.expert_id IS NULL AND NOT EXISTS (SELECT 1 FROM annotations_assignment AS higher
                    WHERE higher.comparison_id = fresh.comparison_id AND higher.place > fresh.place
                    AND higher.expert_id IS NULL AND higher.released_at IS NULL) THEN 1 ELSE 0 END AS taken
                    FROM fresh JOIN stale ON stale.id = fresh.id WHERE fresh.expert_id IS NOT NULL UNION ALL
                    SELECT expert_id, 0 FROM stale WHERE expert_id IS NOT NULL) AS one GROUP BY expert)
                    AS changed WHERE annotations_membership.id = changed.expert AND (tally IS NOT NULL
                    OR changed.taken > 0);
                RETURN NULL;
            END $$;
            CREATE TRIGGER tally_update AFTER UPDATE ON annotations_assignment REFERENCING OLD TABLE AS stale
                NEW TABLE AS fresh FOR EACH STATEMENT EXECUTE FUNCTION tally_update()
        """,
    ),
    "turn_where_sides_differ": Trigger(
        table="annotations_assignment",
        sqlite="""
            CREATE TRIGGER turn_where_sides_differ BEFORE UPDATE ON annotations_assignment
            WHEN NEW.comparison_shown_at IS NOT NULL AND (NEW.turn IS NULL) <> EXISTS
                (SELECT 1 FROM annotations_comparison c WHERE c.id = NEW.comparison_id AND c.identical)
            BEGIN
                SELECT RAISE(ABORT, 'what is shown uses up a turn, unless both sides look the same');
            END
        """,
        postgresql="""
            CREATE FUNCTION turn_where_sides_differ() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
                IF NEW.comparison_shown_at IS NOT NULL AND (NEW.turn IS NULL) <> EXISTS
                    (SELECT 1 FROM annotations_comparison c WHERE c.id = NEW.comparison_id AND c.identical)
                THEN
                    RAISE EXCEPTION 'what is shown uses up a turn, unless both sides look the same'
                        USING ERRCODE = '23514';
                END IF;
                RETURN NEW;
            END $$;
            CREATE TRIGGER turn_where_sides_differ BEFORE UPDATE ON annotations_assignment FOR EACH ROW
                EXECUTE FUNCTION turn_where_sides_differ()
        """,
    ),
    "identical_before_it_is_shown": Trigger(
        table="annotations_comparison",
        sqlite="""
            CREATE TRIGGER identical_before_it_is_shown BEFORE UPDATE ON annotations_comparison
            WHEN COALESCE(NEW.identical, FALSE) <> COALESCE(OLD.identical, FALSE) AND EXISTS
                (SELECT 1 FROM annotations_assignment a WHERE a.comparison_id = NEW.id AND a.comparison_shown_at
                IS NOT NULL)
            BEGIN
                SELECT RAISE(ABORT, 'whether both sides are the same is settled before an expert sees them');
            END
        """,
        postgresql="""
            CREATE FUNCTION identical_before_it_is_shown() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
                IF COALESCE(NEW.identical, FALSE) <> COALESCE(OLD.identical, FALSE) AND EXISTS
                    (SELECT 1 FROM annotations_assignment a WHERE a.comparison_id = NEW.id
                    AND a.comparison_shown_at IS NOT NULL)
                THEN
                    RAISE EXCEPTION 'whether both sides are the same is settled before an expert sees them'
                        USING ERRCODE = '23514';
                END IF;
                RETURN NEW;
            END $$;
            CREATE TRIGGER identical_before_it_is_shown BEFORE UPDATE ON annotations_comparison FOR EACH ROW
                EXECUTE FUNCTION identical_before_it_is_shown()
        """,
    ),
    "planned_delete": Trigger(
        table="annotations_comparison",
        sqlite="""
            CREATE TRIGGER planned_delete AFTER DELETE ON annotations_comparison
            BEGIN
                UPDATE annotations_study SET planned = planned - 1 WHERE id = OLD.study_id;
            END
        """,
        postgresql="""
            CREATE FUNCTION planned_delete() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
                UPDATE annotations_study SET planned = planned - changed.number FROM (SELECT study_id, count(*)
                    AS number FROM stale GROUP BY study_id) AS changed WHERE id = changed.study_id;
                RETURN NULL;
            END $$;
            CREATE TRIGGER planned_delete AFTER DELETE ON annotations_comparison REFERENCING OLD TABLE AS stale
                FOR EACH STATEMENT EXECUTE FUNCTION planned_delete()
        """,
    ),
    "planned_insert": Trigger(
        table="annotations_comparison",
        sqlite="""
            CREATE TRIGGER planned_insert AFTER INSERT ON annotations_comparison
            BEGIN
                UPDATE annotations_study SET planned = planned + 1 WHERE id = NEW.study_id;
            END
        """,
        postgresql="""
            CREATE FUNCTION planned_insert() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
                UPDATE annotations_study SET planned = planned + changed.number FROM (SELECT study_id, count(*)
                    AS number FROM fresh GROUP BY study_id) AS changed WHERE id = changed.study_id;
                RETURN NULL;
            END $$;
            CREATE TRIGGER planned_insert AFTER INSERT ON annotations_comparison REFERENCING NEW TABLE AS fresh
                FOR EACH STATEMENT EXECUTE FUNCTION planned_insert()
        """,
    ),
    "append_only_consent": Trigger(
        table="annotations_consent",
        sqlite="""
            CREATE TRIGGER append_only_consent BEFORE UPDATE ON annotations_consent
            BEGIN
                SELECT RAISE(ABORT, 'rows of this table are never changed');
            END
        """,
        postgresql="""
            CREATE FUNCTION append_only_consent() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
                RAISE EXCEPTION 'rows of this table are never changed' USING ERRCODE = '23514';
            END $$;
            CREATE TRIGGER append_only_consent BEFORE UPDATE ON annotations_consent FOR EACH ROW
                EXECUTE FUNCTION append_only_consent()
        """,
    ),
    "rows_of_dataset": Trigger(
        table="annotations_dataset",
        sqlite="""
            CREATE TRIGGER rows_of_dataset AFTER UPDATE OF gold ON annotations_dataset
            BEGIN
                UPDATE annotations_comparison SET first_row = NULL, second_row = NULL WHERE instance_id IN
                    (SELECT id FROM annotations_instance WHERE dataset_id = NEW.id);
            END
        """,
        postgresql="""
            CREATE FUNCTION rows_of_dataset() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
                UPDATE annotations_comparison SET first_row = NULL, second_row = NULL WHERE instance_id IN
                    (SELECT id FROM annotations_instance WHERE dataset_id = NEW.id);
                RETURN NULL;
            END $$;
            CREATE TRIGGER rows_of_dataset AFTER UPDATE OF gold ON annotations_dataset FOR EACH ROW
                EXECUTE FUNCTION rows_of_dataset()
        """,
    ),
    "append_only_annotations_event": Trigger(
        table="annotations_event",
        sqlite="""
            CREATE TRIGGER append_only_annotations_event BEFORE UPDATE ON annotations_event
            WHEN NOT EXISTS (SELECT 1 FROM annotations_erasinggate)
            BEGIN
                SELECT RAISE(ABORT, 'rows of this table are never changed');
            END
        """,
        postgresql="""
            CREATE FUNCTION append_only_annotations_event() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
                IF NOT EXISTS (SELECT 1 FROM annotations_erasinggate WHERE key = txid_current()::text)
                THEN
                    RAISE EXCEPTION 'rows of this table are never changed' USING ERRCODE = '23514';
                END IF;
                RETURN NEW;
            END $$;
            CREATE TRIGGER append_only_annotations_event BEFORE UPDATE ON annotations_event FOR EACH ROW
                EXECUTE FUNCTION append_only_annotations_event()
        """,
    ),
    "event_stays": Trigger(
        table="annotations_event",
        sqlite="""
            CREATE TRIGGER event_stays BEFORE DELETE ON annotations_event
            WHEN NOT EXISTS (SELECT 1 FROM annotations_erasinggate)
            BEGIN
                SELECT RAISE(ABORT, 'rows of this table are never deleted');
            END
        """,
        postgresql="""
            CREATE FUNCTION event_stays() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
                IF NOT EXISTS (SELECT 1 FROM annotations_erasinggate WHERE key = txid_current()::text)
                THEN
                    RAISE EXCEPTION 'rows of this table are never deleted' USING ERRCODE = '23514';
                END IF;
                RETURN OLD;
            END $$;
            CREATE TRIGGER event_stays BEFORE DELETE ON annotations_event FOR EACH ROW
                EXECUTE FUNCTION event_stays()
        """,
    ),
    "append_only_guess": Trigger(
        table="annotations_guess",
        sqlite="""
            CREATE TRIGGER append_only_guess BEFORE UPDATE ON annotations_guess
            BEGIN
                SELECT RAISE(ABORT, 'rows of this table are never changed');
            END
        """,
        postgresql="""
            CREATE FUNCTION append_only_guess() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
                RAISE EXCEPTION 'rows of this table are never changed' USING ERRCODE = '23514';
            END $$;
            CREATE TRIGGER append_only_guess BEFORE UPDATE ON annotations_guess FOR EACH ROW
                EXECUTE FUNCTION append_only_guess()
        """,
    ),
    "guess_after_answer": Trigger(
        table="annotations_guess",
        sqlite="""
            CREATE TRIGGER guess_after_answer BEFORE INSERT ON annotations_guess
            WHEN NOT EXISTS (SELECT 1 FROM annotations_assignment a WHERE a.id = NEW.assignment_id
                AND a.completed_at IS NOT NULL AND a.released_at IS NULL)
            BEGIN
                SELECT RAISE(ABORT, 'a guess comes after the answer');
            END
        """,
        postgresql="""
            CREATE FUNCTION guess_after_answer() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
                IF NOT EXISTS (SELECT 1 FROM annotations_assignment a WHERE a.id = NEW.assignment_id
                    AND a.completed_at IS NOT NULL AND a.released_at IS NULL)
                THEN
                    RAISE EXCEPTION 'a guess comes after the answer' USING ERRCODE = '23514';
                END IF;
                RETURN NEW;
            END $$;
            CREATE TRIGGER guess_after_answer BEFORE INSERT ON annotations_guess FOR EACH ROW
                EXECUTE FUNCTION guess_after_answer()
        """,
    ),
    "guess_stays": Trigger(
        table="annotations_guess",
        sqlite="""
            CREATE TRIGGER guess_stays BEFORE DELETE ON annotations_guess
            WHEN NOT EXISTS (SELECT 1 FROM annotations_erasinggate)
            BEGIN
                SELECT RAISE(ABORT, 'rows of this table are never deleted');
            END
        """,
        postgresql="""
            CREATE FUNCTION guess_stays() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
                IF NOT EXISTS (SELECT 1 FROM annotations_erasinggate WHERE key = txid_current()::text)
                THEN
                    RAISE EXCEPTION 'rows of this table are never deleted' USING ERRCODE = '23514';
                END IF;
                RETURN OLD;
            END $$;
            CREATE TRIGGER guess_stays BEFORE DELETE ON annotations_guess FOR EACH ROW
                EXECUTE FUNCTION guess_stays()
        """,
    ),
    "identical_has_no_guess": Trigger(
        table="annotations_guess",
        sqlite="""
            CREATE TRIGGER identical_has_no_guess BEFORE INSERT ON annotations_guess
            WHEN EXISTS (SELECT 1 FROM annotations_assignment a JOIN annotations_comparison c ON
                c.id = a.comparison_id WHERE a.id = NEW.assignment_id AND c.identical)
            BEGIN
                SELECT RAISE(ABORT, 'both sides are the same: there is nothing to guess');
            END
        """,
        postgresql="""
            CREATE FUNCTION identical_has_no_guess() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
                IF EXISTS (SELECT 1 FROM annotations_assignment a JOIN annotations_comparison c ON
                    c.id = a.comparison_id WHERE a.id = NEW.assignment_id AND c.identical)
                THEN
                    RAISE EXCEPTION 'both sides are the same: there is nothing to guess'
                        USING ERRCODE = '23514';
                END IF;
                RETURN NEW;
            END $$;
            CREATE TRIGGER identical_has_no_guess BEFORE INSERT ON annotations_guess FOR EACH ROW
                EXECUTE FUNCTION identical_has_no_guess()
        """,
    ),
    "stays_withdrawn": Trigger(
        table="annotations_instance",
        sqlite="""
            CREATE TRIGGER stays_withdrawn BEFORE UPDATE ON annotations_instance
            WHEN NEW.withdrawn_at IS NULL AND OLD.withdrawn_at IS NOT NULL AND EXISTS
                (SELECT 1 FROM annotations_reportdecision d JOIN annotations_report r ON r.id = d.report_id
                JOIN annotations_assignment a ON a.id = r.assignment_id WHERE a.instance_id = NEW.id
                AND d.verdict = 'confirmed' AND NOT EXISTS (SELECT 1 FROM annotations_reportdecision n
                WHERE n.report_id = d.report_id AND n.revision > d.revision))
            BEGIN
                SELECT RAISE(ABORT, 'a report says that this text identifies a person');
            END
        """,
        postgresql="""
            CREATE FUNCTION stays_withdrawn() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
                IF NEW.withdrawn_at IS NULL AND OLD.withdrawn_at IS NOT NULL AND EXISTS
                    (SELECT 1 FROM annotations_reportdecision d JOIN annotations_report r ON r.id = d.report_id
                    JOIN annotations_assignment a ON a.id = r.assignment_id WHERE a.instance_id = NEW.id
                    AND d.verdict = 'confirmed' AND NOT EXISTS (SELECT 1 FROM annotations_reportdecision n
                    WHERE n.report_id = d.report_id AND n.revision > d.revision))
                THEN
                    RAISE EXCEPTION 'a report says that this text identifies a person' USING ERRCODE = '23514';
                END IF;
                RETURN NEW;
            END $$;
            CREATE TRIGGER stays_withdrawn BEFORE UPDATE ON annotations_instance FOR EACH ROW
                EXECUTE FUNCTION stays_withdrawn()
        """,
    ),
    "tally_withdrawn": Trigger(
        table="annotations_instance",
        sqlite="""
            CREATE TRIGGER tally_withdrawn AFTER UPDATE OF withdrawn_at ON annotations_instance
            WHEN (OLD.withdrawn_at IS NULL) <> (NEW.withdrawn_at IS NULL)
            BEGIN
                UPDATE annotations_membership SET tally = NULL WHERE tally IS NOT NULL AND id IN (SELECT
                    expert_id FROM annotations_assignment WHERE instance_id = NEW.id AND expert_id IS NOT NULL
                    AND completed_at IS NULL AND released_at IS NULL);
                UPDATE annotations_study SET pool_version = pool_version + 1 WHERE dataset_id = NEW.dataset_id;
            END
        """,
        postgresql="""
            CREATE FUNCTION tally_withdrawn() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
                UPDATE annotations_membership SET tally = NULL WHERE tally IS NOT NULL AND id IN (SELECT
                    expert_id FROM annotations_assignment WHERE instance_id = NEW.id AND expert_id IS NOT NULL
                    AND completed_at IS NULL AND released_at IS NULL);
                UPDATE annotations_study SET pool_version = pool_version + 1 WHERE dataset_id = NEW.dataset_id;
                RETURN NULL;
            END $$;
            CREATE TRIGGER tally_withdrawn AFTER UPDATE OF withdrawn_at ON annotations_instance FOR EACH ROW
                WHEN ((OLD.withdrawn_at IS NULL) <> (NEW.withdrawn_at IS NULL))
                EXECUTE FUNCTION tally_withdrawn()
        """,
    ),
    "append_only_instrumentversion": Trigger(
        table="annotations_instrumentversion",
        sqlite="""
            CREATE TRIGGER append_only_instrumentversion BEFORE UPDATE ON annotations_instrumentversion
            BEGIN
                SELECT RAISE(ABORT, 'rows of this table are never changed');
            END
        """,
        postgresql="""
            CREATE FUNCTION append_only_instrumentversion() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
                RAISE EXCEPTION 'rows of this table are never changed' USING ERRCODE = '23514';
            END $$;
            CREATE TRIGGER append_only_instrumentversion BEFORE UPDATE ON annotations_instrumentversion
                FOR EACH ROW EXECUTE FUNCTION append_only_instrumentversion()
        """,
    ),
    "invitation_works_once": Trigger(
        table="annotations_invitation",
        sqlite="""
            CREATE TRIGGER invitation_works_once BEFORE UPDATE ON annotations_invitation
            WHEN (OLD.used_at IS NOT NULL AND (NEW.used_at IS NULL OR NEW.used_at <> OLD.used_at))
                OR (OLD.revoked_at IS NOT NULL AND (NEW.revoked_at IS NULL OR NEW.revoked_at <> OLD.revoked_at))
            BEGIN
                SELECT RAISE(ABORT, 'an invitation that was used or revoked stays so');
            END
        """,
        postgresql="""
            CREATE FUNCTION invitation_works_once() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
                IF (OLD.used_at IS NOT NULL AND (NEW.used_at IS NULL OR NEW.used_at <> OLD.used_at))
                    OR (OLD.revoked_at IS NOT NULL AND (NEW.revoked_at IS NULL
                    OR NEW.revoked_at <> OLD.revoked_at))
                THEN
                    RAISE EXCEPTION 'an invitation that was used or revoked stays so' USING ERRCODE = '23514';
                END IF;
                RETURN NEW;
            END $$;
            CREATE TRIGGER invitation_works_once BEFORE UPDATE ON annotations_invitation FOR EACH ROW
                EXECUTE FUNCTION invitation_works_once()
        """,
    ),
    "append_only_annotations_labelresponse": Trigger(
        table="annotations_labelresponse",
        sqlite="""
            CREATE TRIGGER append_only_annotations_labelresponse BEFORE UPDATE ON annotations_labelresponse
            BEGIN
                SELECT RAISE(ABORT, 'rows of this table are never changed');
            END
        """,
        postgresql="""
            CREATE FUNCTION append_only_annotations_labelresponse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
                RAISE EXCEPTION 'rows of this table are never changed' USING ERRCODE = '23514';
            END $$;
            CREATE TRIGGER append_only_annotations_labelresponse BEFORE UPDATE ON annotations_labelresponse
                FOR EACH ROW EXECUTE FUNCTION append_only_annotations_labelresponse()
        """,
    ),
    "label_response_stays": Trigger(
        table="annotations_labelresponse",
        sqlite="""
            CREATE TRIGGER label_response_stays BEFORE DELETE ON annotations_labelresponse
            WHEN NOT EXISTS (SELECT 1 FROM annotations_erasinggate)
            BEGIN
                SELECT RAISE(ABORT, 'rows of this table are never deleted');
            END
        """,
        postgresql="""
            CREATE FUNCTION label_response_stays() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
                IF NOT EXISTS (SELECT 1 FROM annotations_erasinggate WHERE key = txid_current()::text)
                THEN
                    RAISE EXCEPTION 'rows of this table are never deleted' USING ERRCODE = '23514';
                END IF;
                RETURN OLD;
            END $$;
            CREATE TRIGGER label_response_stays BEFORE DELETE ON annotations_labelresponse FOR EACH ROW
                EXECUTE FUNCTION label_response_stays()
        """,
    ),
    "labels_under_own_instrument": Trigger(
        table="annotations_labelresponse",
        sqlite="""
            CREATE TRIGGER labels_under_own_instrument BEFORE INSERT ON annotations_labelresponse
            WHEN NEW.instrument_id IS NOT NULL AND NOT EXISTS (SELECT 1 FROM annotations_assignment a
                JOIN annotations_instrumentversion i ON i.study_id = a.study_id WHERE a.id = NEW.assignment_id
                AND i.id = NEW.instrument_id)
            BEGIN
                SELECT RAISE(ABORT, 'the version of the instrument belongs to another study');
            END
        """,
        postgresql="""
            CREATE FUNCTION labels_under_own_instrument() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
                IF NEW.instrument_id IS NOT NULL AND NOT EXISTS (SELECT 1 FROM annotations_assignment a
                    JOIN annotations_instrumentversion i ON i.study_id = a.study_id
                    WHERE a.id = NEW.assignment_id AND i.id = NEW.instrument_id)
                THEN
                    RAISE EXCEPTION 'the version of the instrument belongs to another study'
                        USING ERRCODE = '23514';
                END IF;
                RETURN NEW;
            END $$;
            CREATE TRIGGER labels_under_own_instrument BEFORE INSERT ON annotations_labelresponse FOR EACH ROW
                EXECUTE FUNCTION labels_under_own_instrument()
        """,
    ),
    "step_1_locked": Trigger(
        table="annotations_labelresponse",
        sqlite="""
            CREATE TRIGGER step_1_locked BEFORE INSERT ON annotations_labelresponse
            WHEN EXISTS (SELECT 1 FROM annotations_assignment a WHERE a.id = NEW.assignment_id
                AND a.comparison_shown_at IS NOT NULL)
            BEGIN
                SELECT RAISE(ABORT, 'step 1 is locked: step 2 was shown');
            END
        """,
        postgresql="""
            CREATE FUNCTION step_1_locked() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
                IF EXISTS (SELECT 1 FROM annotations_assignment a WHERE a.id = NEW.assignment_id
                    AND a.comparison_shown_at IS NOT NULL)
                THEN
                    RAISE EXCEPTION 'step 1 is locked: step 2 was shown' USING ERRCODE = '23514';
                END IF;
                RETURN NEW;
            END $$;
            CREATE TRIGGER step_1_locked BEFORE INSERT ON annotations_labelresponse FOR EACH ROW
                EXECUTE FUNCTION step_1_locked()
        """,
    ),
    "append_only_annotations_pairwisevote": Trigger(
        table="annotations_pairwisevote",
        sqlite="""
            CREATE TRIGGER append_only_annotations_pairwisevote BEFORE UPDATE ON annotations_pairwisevote
            WHEN 1 = 1
            BEGIN
                SELECT RAISE(ABORT, 'rows of this table are never changed');
            END
        """,
        postgresql="""
            CREATE FUNCTION append_only_annotations_pairwisevote() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
                IF 1 = 1
                THEN
                    RAISE EXCEPTION 'rows of this table are never changed' USING ERRCODE = '23514';
                END IF;
                RETURN NEW;
            END $$;
            CREATE TRIGGER append_only_annotations_pairwisevote BEFORE UPDATE ON annotations_pairwisevote
                FOR EACH ROW EXECUTE FUNCTION append_only_annotations_pairwisevote()
        """,
    ),
    "vote_of_its_dataset": Trigger(
        table="annotations_pairwisevote",
        sqlite="""
            CREATE TRIGGER vote_of_its_dataset BEFORE INSERT ON annotations_pairwisevote
            WHEN NOT EXISTS (SELECT 1 FROM annotations_instance i WHERE i.id = NEW.instance_id
                AND i.dataset_id = NEW.dataset_id) OR NOT EXISTS (SELECT 1 FROM annotations_judge j
                WHERE j.id = NEW.judge_id AND j.dataset_id = NEW.dataset_id)
            BEGIN
                SELECT RAISE(ABORT, 'a vote has the dataset of its instance and of its judge');
            END
        """,
        postgresql="""
            CREATE FUNCTION vote_of_its_dataset() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
                IF NOT EXISTS (SELECT 1 FROM annotations_instance i WHERE i.id = NEW.instance_id
                    AND i.dataset_id = NEW.dataset_id) OR NOT EXISTS (SELECT 1 FROM annotations_judge j
                    WHERE j.id = NEW.judge_id AND j.dataset_id = NEW.dataset_id)
                THEN
                    RAISE EXCEPTION 'a vote has the dataset of its instance and of its judge'
                        USING ERRCODE = '23514';
                END IF;
                RETURN NEW;
            END $$;
            CREATE TRIGGER vote_of_its_dataset BEFORE INSERT ON annotations_pairwisevote FOR EACH ROW
                EXECUTE FUNCTION vote_of_its_dataset()
        """,
    ),
    "answer_closed_by_guess": Trigger(
        table="annotations_preferenceresponse",
        sqlite="""
            CREATE TRIGGER answer_closed_by_guess BEFORE INSERT ON annotations_preferenceresponse
            WHEN EXISTS (SELECT 1 FROM annotations_guess g WHERE g.assignment_id = NEW.assignment_id)
            BEGIN
                SELECT RAISE(ABORT, 'the answer is closed: its guess was given');
            END
        """,
        postgresql="""
            CREATE FUNCTION answer_closed_by_guess() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
                IF EXISTS (SELECT 1 FROM annotations_guess g WHERE g.assignment_id = NEW.assignment_id)
                THEN
                    RAISE EXCEPTION 'the answer is closed: its guess was given' USING ERRCODE = '23514';
                END IF;
                RETURN NEW;
            END $$;
            CREATE TRIGGER answer_closed_by_guess BEFORE INSERT ON annotations_preferenceresponse FOR EACH ROW
                EXECUTE FUNCTION answer_closed_by_guess()
        """,
    ),
    "append_only_annotations_preferenceresponse": Trigger(
        table="annotations_preferenceresponse",
        sqlite="""
            CREATE TRIGGER append_only_annotations_preferenceresponse
                BEFORE UPDATE ON annotations_preferenceresponse
            BEGIN
                SELECT RAISE(ABORT, 'rows of this table are never changed');
            END
        """,
        postgresql="""
            CREATE FUNCTION append_only_annotations_preferenceresponse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
                RAISE EXCEPTION 'rows of this table are never changed' USING ERRCODE = '23514';
            END $$;
            CREATE TRIGGER append_only_annotations_preferenceresponse
                BEFORE UPDATE ON annotations_preferenceresponse FOR EACH ROW
                EXECUTE FUNCTION append_only_annotations_preferenceresponse()
        """,
    ),
    "identical_takes_both_or_neither": Trigger(
        table="annotations_preferenceresponse",
        sqlite="""
            CREATE TRIGGER identical_takes_both_or_neither BEFORE INSERT ON annotations_preferenceresponse
            WHEN NEW.a_chosen <> NEW.b_chosen AND EXISTS (SELECT 1 FROM annotations_assignment a
                JOIN annotations_comparison c ON c.id = a.comparison_id WHERE a.id = NEW.assignment_id
                AND c.identical)
            BEGIN
                SELECT RAISE(ABORT, 'both sides are the same: the answer is both or neither');
            END
        """,
        postgresql="""
            CREATE FUNCTION identical_takes_both_or_neither() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
                IF NEW.a_chosen <> NEW.b_chosen AND EXISTS (SELECT 1 FROM annotations_assignment a
                    JOIN annotations_comparison c ON c.id = a.comparison_id WHERE a.id = NEW.assignment_id
                    AND c.identical)
                THEN
                    RAISE EXCEPTION 'both sides are the same: the answer is both or neither'
                        USING ERRCODE = '23514';
                END IF;
                RETURN NEW;
            END $$;
            CREATE TRIGGER identical_takes_both_or_neither BEFORE INSERT ON annotations_preferenceresponse
                FOR EACH ROW EXECUTE FUNCTION identical_takes_both_or_neither()
        """,
    ),
    "preference_response_stays": Trigger(
        table="annotations_preferenceresponse",
        sqlite="""
            CREATE TRIGGER preference_response_stays BEFORE DELETE ON annotations_preferenceresponse
            WHEN NOT EXISTS (SELECT 1 FROM annotations_erasinggate)
            BEGIN
                SELECT RAISE(ABORT, 'rows of this table are never deleted');
            END
        """,
        postgresql="""
            CREATE FUNCTION preference_response_stays() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
                IF NOT EXISTS (SELECT 1 FROM annotations_erasinggate WHERE key = txid_current()::text)
                THEN
                    RAISE EXCEPTION 'rows of this table are never deleted' USING ERRCODE = '23514';
                END IF;
                RETURN OLD;
            END $$;
            CREATE TRIGGER preference_response_stays BEFORE DELETE ON annotations_preferenceresponse
                FOR EACH ROW EXECUTE FUNCTION preference_response_stays()
        """,
    ),
    "preference_under_own_instrument": Trigger(
        table="annotations_preferenceresponse",
        sqlite="""
            CREATE TRIGGER preference_under_own_instrument BEFORE INSERT ON annotations_preferenceresponse
            WHEN NEW.instrument_id IS NOT NULL AND NOT EXISTS (SELECT 1 FROM annotations_assignment a
                JOIN annotations_instrumentversion i ON i.study_id = a.study_id WHERE a.id = NEW.assignment_id
                AND i.id = NEW.instrument_id)
            BEGIN
                SELECT RAISE(ABORT, 'the version of the instrument belongs to another study');
            END
        """,
        postgresql="""
            CREATE FUNCTION preference_under_own_instrument() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
                IF NEW.instrument_id IS NOT NULL AND NOT EXISTS (SELECT 1 FROM annotations_assignment a
                    JOIN annotations_instrumentversion i ON i.study_id = a.study_id
                    WHERE a.id = NEW.assignment_id AND i.id = NEW.instrument_id)
                THEN
                    RAISE EXCEPTION 'the version of the instrument belongs to another study'
                        USING ERRCODE = '23514';
                END IF;
                RETURN NEW;
            END $$;
            CREATE TRIGGER preference_under_own_instrument BEFORE INSERT ON annotations_preferenceresponse
                FOR EACH ROW EXECUTE FUNCTION preference_under_own_instrument()
        """,
    ),
    "step_2_after_step_1": Trigger(
        table="annotations_preferenceresponse",
        sqlite="""
            CREATE TRIGGER step_2_after_step_1 BEFORE INSERT ON annotations_preferenceresponse
            WHEN EXISTS (SELECT 1 FROM annotations_assignment a WHERE a.id = NEW.assignment_id
                AND a.comparison_shown_at IS NULL)
            BEGIN
                SELECT RAISE(ABORT, 'step 2 was never shown for this assignment');
            END
        """,
        postgresql="""
            CREATE FUNCTION step_2_after_step_1() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
                IF EXISTS (SELECT 1 FROM annotations_assignment a WHERE a.id = NEW.assignment_id
                    AND a.comparison_shown_at IS NULL)
                THEN
                    RAISE EXCEPTION 'step 2 was never shown for this assignment' USING ERRCODE = '23514';
                END IF;
                RETURN NEW;
            END $$;
            CREATE TRIGGER step_2_after_step_1 BEFORE INSERT ON annotations_preferenceresponse FOR EACH ROW
                EXECUTE FUNCTION step_2_after_step_1()
        """,
    ),
    "append_only_decision": Trigger(
        table="annotations_reportdecision",
        sqlite="""
            CREATE TRIGGER append_only_decision BEFORE UPDATE ON annotations_reportdecision
            WHEN NOT EXISTS (SELECT 1 FROM annotations_erasinggate)
            BEGIN
                SELECT RAISE(ABORT, 'rows of this table are never changed');
            END
        """,
        postgresql="""
            CREATE FUNCTION append_only_decision() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
                IF NOT EXISTS (SELECT 1 FROM annotations_erasinggate WHERE key = txid_current()::text)
                THEN
                    RAISE EXCEPTION 'rows of this table are never changed' USING ERRCODE = '23514';
                END IF;
                RETURN NEW;
            END $$;
            CREATE TRIGGER append_only_decision BEFORE UPDATE ON annotations_reportdecision FOR EACH ROW
                EXECUTE FUNCTION append_only_decision()
        """,
    ),
    "side_key_never_changes": Trigger(
        table="annotations_sidekey",
        sqlite="""
            CREATE TRIGGER side_key_never_changes BEFORE UPDATE ON annotations_sidekey
            BEGIN
                SELECT RAISE(ABORT, 'a key of sides is never changed');
            END
        """,
        postgresql="""
            CREATE FUNCTION side_key_never_changes() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
                RAISE EXCEPTION 'a key of sides is never changed' USING ERRCODE = '23514';
            END $$;
            CREATE TRIGGER side_key_never_changes BEFORE UPDATE ON annotations_sidekey FOR EACH ROW
                EXECUTE FUNCTION side_key_never_changes()
        """,
    ),
    "rows_of_system": Trigger(
        table="annotations_system",
        sqlite="""
            CREATE TRIGGER rows_of_system AFTER UPDATE OF predictions ON annotations_system
            BEGIN
                UPDATE annotations_comparison SET first_row = NULL, second_row = NULL
                    WHERE second_system_id = NEW.id OR first_system_id = NEW.id;
            END
        """,
        postgresql="""
            CREATE FUNCTION rows_of_system() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
                UPDATE annotations_comparison SET first_row = NULL, second_row = NULL
                    WHERE second_system_id = NEW.id OR first_system_id = NEW.id;
                RETURN NULL;
            END $$;
            CREATE TRIGGER rows_of_system AFTER UPDATE OF predictions ON annotations_system FOR EACH ROW
                EXECUTE FUNCTION rows_of_system()
        """,
    ),
}


class Migration(migrations.Migration):
    replaces = [
        ("annotations", "0002_triggers"),
        ("annotations", "0008_triggers_of_arriving_and_reporting"),
        ("annotations", "0010_triggers_of_guesses"),
    ]
    dependencies = [("annotations", "0100_tables")]
    operations = [MakeTriggers(TRIGGERS)]
