-- SPDX-License-Identifier: Apache-2.0
-- What the nodes of a site know together. Applied once, in one transaction, by
-- `predictctl share init`, as a role that may create roles and schemas. PostgreSQL 13 to 17.
--
-- A node may write what is its own (row-level security by the role that it logs in as) and read
-- everything. All state of a node's session is in rows, none in the connection: PgBouncer may
-- hand each transaction to another one.

CREATE SCHEMA predictd;

DO $$
BEGIN
	IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'predictd_node') THEN
		CREATE ROLE predictd_node NOLOGIN;
	END IF;
	IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'predictd_reader') THEN
		CREATE ROLE predictd_reader NOLOGIN;
	END IF;
END
$$;

-- One row. Users are hashes of `salt` and their number; `keep` is how long observations stay.
CREATE TABLE predictd.site (
	is_one boolean PRIMARY KEY DEFAULT true CHECK (is_one),
	version integer NOT NULL,
	salt bytea NOT NULL CHECK (length(salt) = 32),
	keep interval NOT NULL DEFAULT '13 months' CHECK (keep >= '1 day')
);

-- `session` is of the process that writes now: who finds another one there is one of two with one
-- identity. `retired` by which transaction: the node's observations count no more.
CREATE TABLE predictd.node (
	node uuid PRIMARY KEY,
	owner name NOT NULL DEFAULT current_user,
	machine bytea NOT NULL CHECK (length(machine) BETWEEN 1 AND 64),
	session uuid NOT NULL,
	last_sequence bigint NOT NULL DEFAULT 0,
	retired xid8,
	first_seen timestamptz NOT NULL DEFAULT now(),
	last_seen timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX node_retired ON predictd.node (retired) WHERE retired IS NOT NULL;

-- What one user newly observed of one launch on one node: `state` is the encoding of
-- model/correction/correction.h with those runs alone.
CREATE TABLE predictd.observation (
	node uuid NOT NULL,
	sequence bigint NOT NULL,
	received timestamptz NOT NULL DEFAULT now(),
	model text NOT NULL CHECK (length(model) <= 64),
	driver text NOT NULL CHECK (length(driver) <= 128),
	kernel bigint NOT NULL,
	launch bigint NOT NULL,
	kind smallint NOT NULL,
	observer bytea NOT NULL CHECK (length(observer) = 16),
	runs integer NOT NULL CHECK (runs BETWEEN 1 AND 16),
	state bytea NOT NULL CHECK (length(state) <= 448),
	kernel_name text CHECK (length(kernel_name) <= 256),
	PRIMARY KEY (node, sequence, received)
) PARTITION BY RANGE (received);
CREATE TABLE predictd.observation_other PARTITION OF predictd.observation DEFAULT;

-- How far each node has come, by model; `moved` by which transaction. A reader asks for rows whose
-- transaction was not over when it read last, so that none is missed that commits late.
CREATE TABLE predictd.head (
	node uuid NOT NULL,
	model text NOT NULL,
	driver text NOT NULL,
	last_sequence bigint NOT NULL,
	moved xid8 NOT NULL DEFAULT pg_current_xact_id(),
	PRIMARY KEY (node, model, driver)
) WITH (fillfactor = 50);
CREATE INDEX head_moved ON predictd.head (model, driver, moved);

-- Immutable: a node's next calibration of a device is another row.
CREATE TABLE predictd.calibration (
	node uuid NOT NULL,
	model text NOT NULL CHECK (length(model) <= 64),
	driver text NOT NULL CHECK (length(driver) <= 128),
	epoch bigint NOT NULL,
	received timestamptz NOT NULL DEFAULT now(),
	calibration bytea NOT NULL CHECK (length(calibration) <= 4194304),
	PRIMARY KEY (node, model, driver, epoch)
);
CREATE INDEX calibration_model ON predictd.calibration (model, driver);

-- ---- who may what --------------------------------------------------------------------------

ALTER TABLE predictd.node ENABLE ROW LEVEL SECURITY;
ALTER TABLE predictd.observation ENABLE ROW LEVEL SECURITY;
ALTER TABLE predictd.head ENABLE ROW LEVEL SECURITY;
ALTER TABLE predictd.calibration ENABLE ROW LEVEL SECURITY;

CREATE FUNCTION predictd.is_own(a_node uuid) RETURNS boolean
LANGUAGE sql STABLE SECURITY INVOKER
AS 'SELECT EXISTS (SELECT FROM predictd.node n WHERE n.node = a_node AND n.owner = current_user)';

CREATE POLICY reads ON predictd.node FOR SELECT USING (true);
CREATE POLICY adds ON predictd.node FOR INSERT WITH CHECK (owner = current_user);
CREATE POLICY changes ON predictd.node FOR UPDATE
	USING (owner = current_user) WITH CHECK (owner = current_user);
CREATE POLICY reads ON predictd.observation FOR SELECT USING (true);
-- is_own in its own words: a function would be called for each row, a fifth of what a batch costs
CREATE POLICY adds ON predictd.observation FOR INSERT WITH CHECK (EXISTS (
	SELECT FROM predictd.node n WHERE n.node = observation.node AND n.owner = current_user));
CREATE POLICY removes ON predictd.observation FOR DELETE USING (predictd.is_own(node));
CREATE POLICY reads ON predictd.head FOR SELECT USING (true);
CREATE POLICY adds ON predictd.head FOR INSERT WITH CHECK (predictd.is_own(node));
CREATE POLICY changes ON predictd.head FOR UPDATE
	USING (predictd.is_own(node)) WITH CHECK (predictd.is_own(node));
CREATE POLICY removes ON predictd.head FOR DELETE USING (predictd.is_own(node));
CREATE POLICY reads ON predictd.calibration FOR SELECT USING (true);
CREATE POLICY adds ON predictd.calibration FOR INSERT WITH CHECK (predictd.is_own(node));
CREATE POLICY removes ON predictd.calibration FOR DELETE USING (predictd.is_own(node));

GRANT USAGE ON SCHEMA predictd TO predictd_node, predictd_reader;
GRANT SELECT ON predictd.site, predictd.node, predictd.observation, predictd.head,
	predictd.calibration TO predictd_node, predictd_reader;
GRANT INSERT ON predictd.node, predictd.observation, predictd.head, predictd.calibration
	TO predictd_node;
GRANT UPDATE (session, last_sequence, retired, last_seen) ON predictd.node TO predictd_node;
GRANT UPDATE ON predictd.head TO predictd_node;
GRANT DELETE ON predictd.observation, predictd.head, predictd.calibration TO predictd_node;

-- ---- what a node calls ---------------------------------------------------------------------

-- A process begins to write as a node. `a_offered` is the last sequence that it may have sent.
-- `verdict`: "welcome"; "taken": the identity is another's, by machine or because its process was
-- heard of within five minutes; "restored": the server has more of it than the node ever sent. Of
-- the last two nothing was changed: take another identity.
CREATE FUNCTION predictd.hello(a_node uuid, a_machine bytea, a_session uuid, a_offered bigint,
	OUT verdict text, OUT last_sequence bigint, OUT salt bytea, OUT version integer)
LANGUAGE plpgsql AS $$
DECLARE
	found predictd.node;
BEGIN
	SELECT s.salt, s.version INTO salt, version FROM predictd.site s;
	INSERT INTO predictd.node (node, machine, session) VALUES (a_node, a_machine, a_session)
		ON CONFLICT DO NOTHING;
	SELECT * INTO found FROM predictd.node n WHERE n.node = a_node;
	last_sequence := found.last_sequence;
	IF found.owner <> current_user OR found.machine <> a_machine OR found.retired IS NOT NULL
	THEN
		verdict := 'taken';
	ELSIF a_offered < found.last_sequence THEN
		verdict := CASE WHEN found.last_seen > now() - interval '5 minutes'
			THEN 'taken' ELSE 'restored' END;
	ELSE
		verdict := 'welcome';
		UPDATE predictd.node n SET session = a_session, last_seen = now()
			WHERE n.node = a_node;
	END IF;
END
$$;

-- Takes in a batch, whose sequences follow each other and a_expected; all of it or nothing. Returns
-- the last sequence that is here: who asks again after a broken link is answered as before.
-- Null: another process writes as this node.
CREATE FUNCTION predictd.push(a_node uuid, a_session uuid, a_expected bigint,
	a_sequence bigint[], a_model text[], a_driver text[], a_kernel bigint[], a_launch bigint[],
	a_kind smallint[], a_observer bytea[], a_runs integer[], a_state bytea[],
	a_name text[]) RETURNS bigint
LANGUAGE plpgsql AS $$
DECLARE
	held uuid;
	last bigint;
BEGIN
	SELECT n.session, n.last_sequence INTO held, last FROM predictd.node n
		WHERE n.node = a_node AND n.owner = current_user AND n.retired IS NULL FOR UPDATE;
	IF held IS DISTINCT FROM a_session THEN
		RETURN NULL;
	END IF;
	IF last <> a_expected OR cardinality(a_sequence) = 0 THEN
		RETURN last;
	END IF;
	INSERT INTO predictd.observation (node, sequence, model, driver, kernel, launch, kind,
			observer, runs, state, kernel_name)
		SELECT a_node, * FROM unnest(a_sequence, a_model, a_driver, a_kernel, a_launch,
			a_kind, a_observer, a_runs, a_state, a_name)
		ON CONFLICT DO NOTHING;
	INSERT INTO predictd.head AS h (node, model, driver, last_sequence)
		SELECT a_node, b.model, b.driver, max(b.sequence)
			FROM unnest(a_sequence, a_model, a_driver) AS b (sequence, model, driver)
			GROUP BY b.model, b.driver
		ON CONFLICT (node, model, driver) DO UPDATE
			SET last_sequence = excluded.last_sequence, moved = pg_current_xact_id();
	SELECT max(s) INTO last FROM unnest(a_sequence) AS s;
	UPDATE predictd.node n SET last_sequence = last, last_seen = now() WHERE n.node = a_node;
	RETURN last;
END
$$;

-- What a look is answered: nodes that retired, without a model, and heads of these models that moved,
-- both by transactions from a_since on, in their order; and, once at least, the oldest transaction
-- that is not over: the next look's a_since. In a function, whose plan a session keeps: to plan it
-- takes most of an idle node's look.
CREATE FUNCTION predictd.heads(a_node uuid, a_since xid8, a_model text[], a_driver text[],
	a_limit bigint)
RETURNS TABLE (horizon xid8, node uuid, model text, driver text, last_sequence bigint, moved xid8)
LANGUAGE plpgsql STABLE AS $$
#variable_conflict use_column
BEGIN
	RETURN QUERY SELECT s.horizon, h.node, h.model, h.driver, h.last_sequence, h.moved
		FROM (SELECT pg_snapshot_xmin(pg_current_snapshot()) AS horizon) s
		LEFT JOIN (
			(SELECT n.node, NULL::text AS model, NULL::text AS driver,
				0::bigint AS last_sequence, n.retired AS moved
				FROM predictd.node n
				WHERE n.node <> a_node AND n.retired >= a_since
				ORDER BY n.retired LIMIT a_limit)
			UNION ALL
			(SELECT a.node, a.model, a.driver, a.last_sequence, a.moved
				FROM unnest(a_model, a_driver) AS m (model, driver)
				JOIN predictd.head a ON a.model = m.model AND a.driver = m.driver
				JOIN predictd.node n ON n.node = a.node
				WHERE a.node <> a_node AND a.moved >= a_since AND n.retired IS NULL
				ORDER BY a.moved LIMIT a_limit)
			ORDER BY moved LIMIT a_limit) h ON true
		ORDER BY h.moved;
END
$$;

-- What a node has written counts no more, and its observations are deleted.
CREATE FUNCTION predictd.forget(a_node uuid) RETURNS bigint
LANGUAGE plpgsql AS $$
DECLARE
	gone bigint;
BEGIN
	UPDATE predictd.node n SET retired = pg_current_xact_id()
		WHERE n.node = a_node AND n.owner = current_user AND n.retired IS NULL;
	DELETE FROM predictd.observation o WHERE o.node = a_node;
	GET DIAGNOSTICS gone = ROW_COUNT;
	DELETE FROM predictd.head h WHERE h.node = a_node;
	DELETE FROM predictd.calibration c WHERE c.node = a_node;
	RETURN gone;
END
$$;

-- Partitions of this month and the next are there, and those that are older than `keep` gone.
-- Every node calls it once a day; one at a time does it.
CREATE FUNCTION predictd.maintain() RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
	first timestamptz;
	part record;
	kept interval := (SELECT s.keep FROM predictd.site s);
BEGIN
	IF NOT pg_try_advisory_xact_lock(hashtext('predictd.maintain')) THEN
		RETURN;
	END IF;
	FOR i IN 0..1 LOOP
		first := date_trunc('month', now() AT TIME ZONE 'UTC' + make_interval(months => i))
			AT TIME ZONE 'UTC';
		IF to_regclass(format('predictd.observation_%s',
				to_char(first AT TIME ZONE 'UTC', 'YYYYMM'))) IS NULL THEN
			-- rows of a month that began before its partition was there
			IF NOT EXISTS (SELECT FROM predictd.observation_other o
					WHERE o.received >= first
					AND o.received < first + interval '1 month') THEN
				EXECUTE format('CREATE TABLE predictd.observation_%s '
					'PARTITION OF predictd.observation '
					'FOR VALUES FROM (%L) TO (%L)',
					to_char(first AT TIME ZONE 'UTC', 'YYYYMM'), first,
					(first AT TIME ZONE 'UTC' + interval '1 month')
						AT TIME ZONE 'UTC');
			END IF;
		END IF;
	END LOOP;
	FOR part IN SELECT c.relname FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
			WHERE i.inhparent = 'predictd.observation'::regclass
			AND c.relname ~ '^observation_[0-9]{6}$' LOOP
		IF (to_date(right(part.relname, 6), 'YYYYMM') + interval '1 month')
				AT TIME ZONE 'UTC' < now() - kept THEN
			EXECUTE format('DROP TABLE predictd.%I', part.relname);
		END IF;
	END LOOP;
	DELETE FROM predictd.observation_other o WHERE o.received < now() - kept;
END
$$;

REVOKE ALL ON FUNCTION predictd.is_own, predictd.hello, predictd.push, predictd.heads, predictd.forget,
	predictd.maintain FROM PUBLIC;
GRANT EXECUTE ON FUNCTION predictd.is_own, predictd.hello, predictd.push, predictd.heads, predictd.forget,
	predictd.maintain TO predictd_node;

INSERT INTO predictd.site (version, salt)
	VALUES (1, sha256(convert_to(gen_random_uuid()::text || gen_random_uuid()::text, 'UTF8')));
SELECT predictd.maintain();
