BEGIN TRANSACTION;
CREATE TABLE account (
	"key" TEXT NOT NULL, 
	person INTEGER NOT NULL, 
	CONSTRAINT pk_account PRIMARY KEY ("key"), 
	CONSTRAINT fk_account_person FOREIGN KEY(person) REFERENCES person (id)
);
INSERT INTO "account" VALUES('telegram:42',1);
CREATE TABLE alembic_version (
	version_num VARCHAR(32) NOT NULL, 
	CONSTRAINT alembic_version_pkc PRIMARY KEY (version_num)
);
INSERT INTO "alembic_version" VALUES('0039');
CREATE TABLE approval (
	id TEXT NOT NULL, 
	token TEXT NOT NULL, 
	chat INTEGER NOT NULL, 
	conversation TEXT NOT NULL, 
	turn TEXT NOT NULL, 
	call TEXT NOT NULL, 
	preview TEXT NOT NULL, 
	asker INTEGER NOT NULL, 
	purpose TEXT NOT NULL, 
	created_at DATETIME NOT NULL, 
	expires_at DATETIME NOT NULL, 
	kind TEXT NOT NULL, 
	state TEXT NOT NULL, 
	position INTEGER NOT NULL, 
	"group" INTEGER NOT NULL, 
	set_aside BOOLEAN NOT NULL, 
	reported BOOLEAN NOT NULL, 
	decided_by INTEGER, 
	decider_name TEXT NOT NULL, 
	decided_at DATETIME, 
	reason TEXT NOT NULL, 
	shown_at DATETIME, 
	turn_settled BOOLEAN NOT NULL, asker_name TEXT DEFAULT '' NOT NULL, owner_chats TEXT DEFAULT '[]' NOT NULL, home INTEGER, asked_with TEXT DEFAULT '' NOT NULL, 
	CONSTRAINT pk_approval PRIMARY KEY (id), 
	CONSTRAINT fk_approval_chat FOREIGN KEY(chat) REFERENCES chat (id), 
	CONSTRAINT uq_approval_token UNIQUE (token)
);
INSERT INTO "approval" VALUES('card-1','token-card-1',1,'bfe80bf3f68642088cb79e8822ab7233','turn-1','{"id":"call_1","name":"run_command","arguments_text":"{\"command\": \"pytest -q\"}","arguments":{"command":"pytest -q"},"fault":null,"raw":{"type":"tool_use","id":"call_1","input":{"command":"pytest -q"}}}','{"title":"Run a command?","subject":"pytest -q","effect":"write","blocks":[{"text":"pytest -q","language":"sh","kind":"code"},{"text":"in workspace","kind":"plain"},{"text":"*for* you","kind":"markdown"}],"where":"","why":"","seen":null,"always":{"words":["pytest","-q"],"kind":"command"},"always_label":""}',1,'fix the tests','2026-11-21 09:30:00.123456','2026-11-22 09:30:00.123456','call','open',0,1,0,0,NULL,'',NULL,'',NULL,0,'','[]',NULL,'card-1');
CREATE TABLE artifact (
	id TEXT NOT NULL, 
	chat INTEGER NOT NULL, 
	text BLOB NOT NULL, 
	CONSTRAINT pk_artifact PRIMARY KEY (id), 
	CONSTRAINT fk_artifact_chat FOREIGN KEY(chat) REFERENCES chat (id)
);
INSERT INTO "artifact" VALUES('a1',1,X'77686F6C65');
CREATE TABLE audit (
	id INTEGER NOT NULL, 
	at DATETIME NOT NULL, 
	chat INTEGER, 
	person INTEGER, 
	action TEXT NOT NULL, 
	subject TEXT NOT NULL, 
	details TEXT NOT NULL, 
	CONSTRAINT pk_audit PRIMARY KEY (id)
);
INSERT INTO "audit" VALUES(1,'2026-11-21 09:30:00.123456',1,1,'call.ran','pytest -q','{}');
CREATE TABLE budget (
	scope TEXT NOT NULL, 
	money INTEGER, 
	"by" TEXT NOT NULL, 
	at DATETIME NOT NULL, 
	CONSTRAINT pk_budget PRIMARY KEY (scope)
);
INSERT INTO "budget" VALUES('day',5000000000,'Ann','2026-11-22 09:30:00.000000');
CREATE TABLE chat (
	id INTEGER NOT NULL, 
	address TEXT NOT NULL, 
	conversation TEXT NOT NULL, 
	private BOOLEAN NOT NULL, 
	queue_mode TEXT NOT NULL, 
	model TEXT, 
	timezone TEXT, 
	fence INTEGER NOT NULL, 
	last_seq INTEGER NOT NULL, title TEXT DEFAULT '' NOT NULL, activation TEXT DEFAULT 'mention' NOT NULL, listens BOOLEAN DEFAULT 0 NOT NULL, moved_from TEXT, long_answers TEXT DEFAULT 'messages' NOT NULL, previews BOOLEAN DEFAULT 0 NOT NULL, skill TEXT, skill_lent BOOLEAN DEFAULT 0 NOT NULL, offered TEXT, footer BOOLEAN DEFAULT 0 NOT NULL, voice BOOLEAN DEFAULT 0 NOT NULL, screen INTEGER, threads BOOLEAN DEFAULT 0 NOT NULL, verbose BOOLEAN DEFAULT 0 NOT NULL, 
	CONSTRAINT pk_chat PRIMARY KEY (id), 
	CONSTRAINT uq_chat_address UNIQUE (address)
);
INSERT INTO "chat" VALUES(1,'telegram:42','bfe80bf3f68642088cb79e8822ab7233',1,'queue',NULL,NULL,0,8,'','mention',0,NULL,'messages',0,'minutes',1,NULL,0,0,NULL,0,0);
INSERT INTO "chat" VALUES(2,'telegram:-1002','01f7d1409be44920b2516f0e843de93f',0,'queue',NULL,NULL,0,0,'Team','always',1,'telegram:-1001','file',1,NULL,0,NULL,1,1,NULL,1,1);
INSERT INTO "chat" VALUES(3,'errand:7a5b2c9d1e3f4a6b','errand-conversation',1,'queue',NULL,NULL,0,0,'','mention',0,NULL,'messages',0,'minutes',1,NULL,0,0,1,0,0);
CREATE TABLE consent (
	identity TEXT NOT NULL, 
	server TEXT NOT NULL, 
	line TEXT NOT NULL, 
	given_at DATETIME NOT NULL, 
	CONSTRAINT pk_consent PRIMARY KEY (identity)
);
INSERT INTO "consent" VALUES('identity-1','time','uvx mcp-server-time','2026-11-21 09:30:00.123456');
CREATE TABLE conversation (
	id TEXT NOT NULL, 
	chat INTEGER NOT NULL, 
	opened_at DATETIME NOT NULL, 
	closed_at DATETIME, 
	title TEXT NOT NULL, 
	summary TEXT NOT NULL, parent TEXT, shared INTEGER DEFAULT '0' NOT NULL, in_use TEXT, 
	CONSTRAINT pk_conversation PRIMARY KEY (id), 
	CONSTRAINT fk_conversation_chat FOREIGN KEY(chat) REFERENCES chat (id)
);
INSERT INTO "conversation" VALUES('bfe80bf3f68642088cb79e8822ab7233',1,'2026-11-21 09:30:00.123456',NULL,'','',NULL,0,NULL);
INSERT INTO "conversation" VALUES('01f7d1409be44920b2516f0e843de93f',2,'2026-11-21 04:41:24.052952',NULL,'','',NULL,0,NULL);
INSERT INTO "conversation" VALUES('b3a9c1d2e4f5',1,'2026-11-23 09:30:00.000000','2026-11-23 10:30:00.000000','Another way','','bfe80bf3f68642088cb79e8822ab7233',2,'{"model":"fast","skill":"minutes","skill_lent":true}');
CREATE TABLE description (
	"key" TEXT NOT NULL, 
	vector BLOB, 
	at DATETIME NOT NULL, 
	CONSTRAINT pk_description PRIMARY KEY ("key")
);
CREATE TABLE diary (
	id TEXT NOT NULL, 
	goal TEXT NOT NULL, 
	at DATETIME NOT NULL, 
	kind TEXT NOT NULL, 
	text TEXT NOT NULL, 
	turn TEXT NOT NULL, 
	untrusted TEXT, 
	CONSTRAINT pk_diary PRIMARY KEY (id), 
	CONSTRAINT fk_diary_goal FOREIGN KEY(goal) REFERENCES goal (id)
);
INSERT INTO "diary" VALUES('entry-one','goal-one','2026-11-21 09:30:00.123456','note','Found a club.','turn-one',NULL);
CREATE TABLE entry (
	chat INTEGER NOT NULL, 
	seq INTEGER NOT NULL, 
	conversation TEXT NOT NULL, 
	turn TEXT NOT NULL, 
	at DATETIME NOT NULL, 
	body TEXT NOT NULL, 
	CONSTRAINT pk_entry PRIMARY KEY (chat, seq), 
	CONSTRAINT fk_entry_chat FOREIGN KEY(chat) REFERENCES chat (id)
);
INSERT INTO "entry" VALUES(1,1,'bfe80bf3f68642088cb79e8822ab7233','turn-1','2026-11-21 09:30:00.123456','{"text":"fix the tests","speaker":"Ann","moment":"09:30","images":[{"media_type":"image/png","data":"iVBORw0=","kind":"image"}],"untrusted":"a forward","message_id":null,"steering":false,"account":"","group":"","heard":"","seam":{"sender":"telegram:42","number":3,"sent_at":"2026-11-21T09:30:00Z","album":"","forwarded":false,"bare":true,"cut":"no","messages":3,"characters":13},"kind":"asker"}');
INSERT INTO "entry" VALUES(1,2,'bfe80bf3f68642088cb79e8822ab7233','turn-1','2026-11-21 09:30:00.123456','{"parts":[{"raw":{"type":"thinking","thinking":"","signature":"Eq=="},"kind":"thinking"},{"text":"On it.","raw":{"type":"text","text":"On it.","citations":null},"kind":"text"},{"call":{"id":"call_1","name":"run_command","arguments_text":"{\"command\": \"pytest -q\"}","arguments":{"command":"pytest -q"},"fault":null,"raw":{"type":"tool_use","id":"call_1","input":{"command":"pytest -q"}}},"kind":"call"},{"raw":{"type":"server_tool_use","deep":[1,1.0,{"b":null,"a":true}]},"kind":"foreign"}],"finish":"calls","provenance":{"provider":"anthropic","requested_model":"claude-sonnet-5-5","answered_model":"claude-sonnet-5-5-20260101","call_type":"turn","schema":1,"epoch":""},"usage":{"input":10,"output":20,"cache_read":3000,"cache_write":40},"wrap_up":false,"kind":"reply"}');
INSERT INTO "entry" VALUES(1,3,'bfe80bf3f68642088cb79e8822ab7233','turn-1','2026-11-21 09:30:00.123456','{"call_id":"call_1","kind":"intent"}');
INSERT INTO "entry" VALUES(1,4,'bfe80bf3f68642088cb79e8822ab7233','turn-1','2026-11-21 09:30:00.123456','{"result":{"call_id":"call_1","tool":"run_command","status":"success","text":"3 passed","code":null,"duration_ms":812,"synthetic":false,"truncated":false,"untrusted":null,"artifact":null,"files":[],"keep":false,"question":null,"closes":null},"kind":"result"}');
INSERT INTO "entry" VALUES(1,5,'bfe80bf3f68642088cb79e8822ab7233','turn-1','2026-11-21 09:30:00.123456','{"approval":"card-1","tool":"run_command","subject":"pytest -q","decision":"approved by Ann","text":"3 passed","result":{"call_id":"call_1","tool":"run_command","status":"success","text":"3 passed","code":null,"duration_ms":812,"synthetic":false,"truncated":false,"untrusted":null,"artifact":null,"files":[],"keep":false,"question":null,"closes":null},"untrusted":null,"kind":"late_result"}');
INSERT INTO "entry" VALUES(1,6,'bfe80bf3f68642088cb79e8822ab7233','turn-1','2026-11-21 09:30:00.123456','{"purpose":"wrap_up","text":"Answer with what there is.","kind":"note"}');
INSERT INTO "entry" VALUES(1,7,'bfe80bf3f68642088cb79e8822ab7233','turn-1','2026-11-21 09:30:00.123456','{"covers":3,"text":"They fixed the tests.","untrusted":"a web page","kind":"summary"}');
INSERT INTO "entry" VALUES(1,8,'bfe80bf3f68642088cb79e8822ab7233','turn-1','2026-11-21 09:30:00.123456','{"shrunk":[4],"keep_chars":2000,"kind":"cut"}');
CREATE TABLE errand (
	id TEXT NOT NULL, 
	home INTEGER NOT NULL, 
	chat INTEGER NOT NULL, 
	conversation TEXT NOT NULL, 
	parent TEXT NOT NULL, 
	call TEXT NOT NULL, 
	asker INTEGER NOT NULL, 
	asker_name TEXT NOT NULL, 
	task TEXT NOT NULL, 
	created_at DATETIME NOT NULL, 
	state TEXT NOT NULL, 
	set_aside BOOLEAN NOT NULL, 
	recalled BOOLEAN NOT NULL, 
	taken BOOLEAN NOT NULL, 
	result TEXT, 
	ended_at DATETIME, 
	version INTEGER NOT NULL, 
	CONSTRAINT pk_errand PRIMARY KEY (id), 
	CONSTRAINT fk_errand_home FOREIGN KEY(home) REFERENCES chat (id), 
	CONSTRAINT fk_errand_chat FOREIGN KEY(chat) REFERENCES chat (id)
);
INSERT INTO "errand" VALUES('7a5b2c9d1e3f4a6b',3,1,'conversation-1','turn-1','call-9',1,'Ann','Look it up','2026-01-02 03:04:05.000000','working',0,0,0,NULL,NULL,1);
CREATE TABLE feedback (
	turn TEXT NOT NULL, 
	person INTEGER NOT NULL, 
	chat INTEGER NOT NULL, 
	verdict TEXT NOT NULL, 
	at DATETIME NOT NULL, 
	models TEXT NOT NULL, 
	CONSTRAINT pk_feedback PRIMARY KEY (turn, person), 
	CONSTRAINT fk_feedback_chat FOREIGN KEY(chat) REFERENCES chat (id)
);
INSERT INTO "feedback" VALUES('turn-1',1,3,'good','2026-11-22 09:32:00.000000','["anthropic/claude-opus-5"]');
CREATE TABLE file_change (
	number INTEGER NOT NULL, 
	id TEXT NOT NULL, 
	chat INTEGER NOT NULL, 
	turn TEXT NOT NULL, 
	task TEXT NOT NULL, 
	call TEXT NOT NULL, 
	asker INTEGER NOT NULL, 
	root TEXT NOT NULL, 
	path TEXT NOT NULL, 
	content BLOB, 
	mode INTEGER NOT NULL, 
	now TEXT NOT NULL, 
	at DATETIME NOT NULL, 
	undone BOOLEAN NOT NULL, 
	flips INTEGER NOT NULL, 
	version INTEGER NOT NULL, 
	stage TEXT NOT NULL, 
	"by" TEXT NOT NULL, 
	met TEXT NOT NULL, 
	agreed BOOLEAN NOT NULL, 
	spare BLOB, 
	spare_now TEXT NOT NULL, 
	spare_mode INTEGER NOT NULL, 
	spare_kept BOOLEAN NOT NULL, 
	CONSTRAINT pk_file_change PRIMARY KEY (number), 
	CONSTRAINT fk_file_change_chat FOREIGN KEY(chat) REFERENCES chat (id)
);
INSERT INTO "file_change" VALUES(1,'0a1b2c3d4e5f',3,'turn-1','turn-1','call_1',1,'/home/steward/workspace','notes/plan.md',X'2320506C616E0A',420,'absent','2026-11-22 09:30:00.000000',0,0,0,'none','','',0,NULL,'',0,1);
INSERT INTO "file_change" VALUES(2,'1a1b2c3d4e5f',3,'turn-1','turn-1','call_2',1,'/home/steward/workspace','new.md',NULL,0,'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa','2026-11-22 09:31:00.000000',1,1,3,'done','undo-1','',0,NULL,'',0,1);
CREATE TABLE goal (
	id TEXT NOT NULL, 
	chat INTEGER NOT NULL, 
	asker INTEGER NOT NULL, 
	asker_name TEXT NOT NULL, 
	text TEXT NOT NULL, 
	pace TEXT NOT NULL, 
	a_day INTEGER, 
	budget INTEGER, 
	until DATETIME NOT NULL, 
	created_at DATETIME NOT NULL, 
	state TEXT NOT NULL, 
	question TEXT NOT NULL, 
	version INTEGER NOT NULL, 
	CONSTRAINT pk_goal PRIMARY KEY (id), 
	CONSTRAINT fk_goal_chat FOREIGN KEY(chat) REFERENCES chat (id)
);
INSERT INTO "goal" VALUES('goal-one',1,1,'Ann','Learn to sail','daily',500000000,5000000000,'2026-11-21 09:30:00.123456','2026-11-21 09:30:00.123456','active','',2);
CREATE TABLE goal_turn (
	turn TEXT NOT NULL, 
	goal TEXT NOT NULL, 
	CONSTRAINT pk_goal_turn PRIMARY KEY (turn), 
	CONSTRAINT fk_goal_turn_goal FOREIGN KEY(goal) REFERENCES goal (id)
);
INSERT INTO "goal_turn" VALUES('turn-one','goal-one');
CREATE TABLE greeting (
	account TEXT NOT NULL, 
	day DATE NOT NULL, 
	CONSTRAINT pk_greeting PRIMARY KEY (account)
);
CREATE TABLE hearing (
	chat INTEGER NOT NULL, 
	"key" TEXT NOT NULL, 
	words TEXT NOT NULL, 
	at DATETIME NOT NULL, 
	CONSTRAINT pk_hearing PRIMARY KEY (chat, "key"), 
	CONSTRAINT fk_hearing_chat FOREIGN KEY(chat) REFERENCES chat (id)
);
INSERT INTO "hearing" VALUES(1,'7/u','buy milk','2026-11-21 09:30:00.123456');
CREATE TABLE hook_call (
	id TEXT NOT NULL, 
	hook TEXT NOT NULL, 
	"key" TEXT NOT NULL, 
	turn TEXT NOT NULL, 
	chat INTEGER NOT NULL, 
	at DATETIME NOT NULL, 
	words TEXT NOT NULL, 
	data TEXT NOT NULL, 
	allowed TEXT NOT NULL, 
	fresh BOOLEAN NOT NULL, 
	state TEXT NOT NULL, 
	ended_at DATETIME, 
	why TEXT NOT NULL, tries INTEGER DEFAULT '1' NOT NULL, again_at DATETIME, seal TEXT DEFAULT '' NOT NULL, 
	CONSTRAINT pk_hook_call PRIMARY KEY (id), 
	CONSTRAINT fk_hook_call_chat FOREIGN KEY(chat) REFERENCES chat (id)
);
INSERT INTO "hook_call" VALUES('one','build','k','hook-one',1,'2026-11-21 09:30:00.123456','','','readonly',1,'done','2026-11-21 09:30:00.123456','',1,NULL,'');
INSERT INTO "hook_call" VALUES('0028again','build','','hook-0028again-2',1,'2026-11-21 09:30:00.123456','Look.','x','readonly',1,'again',NULL,'no model',2,'2026-11-02 12:05:00.000000','');
CREATE TABLE inbox (
	id INTEGER NOT NULL, 
	channel TEXT NOT NULL, 
	"key" TEXT NOT NULL, 
	body BLOB NOT NULL, 
	state TEXT NOT NULL, 
	received_at DATETIME NOT NULL, 
	chat INTEGER, 
	message_id TEXT, 
	turn TEXT, 
	reason TEXT NOT NULL, person INTEGER, fragment BOOLEAN DEFAULT 0 NOT NULL, owner INTEGER, 
	CONSTRAINT pk_inbox PRIMARY KEY (id), 
	CONSTRAINT fk_inbox_chat FOREIGN KEY(chat) REFERENCES chat (id)
);
INSERT INTO "inbox" VALUES(1,'telegram','7',X'7B227570646174655F6964223A20377D','taken','2026-11-21 09:30:00.123456',1,'17','turn-1','',NULL,0,NULL);
CREATE TABLE leaving (
	number INTEGER NOT NULL, 
	whose TEXT NOT NULL, 
	CONSTRAINT pk_leaving PRIMARY KEY (number, whose)
);
INSERT INTO "leaving" VALUES(7,'p1');
CREATE TABLE meaning (
	id INTEGER NOT NULL, 
	name TEXT NOT NULL, 
	space TEXT NOT NULL, weight FLOAT, weighed INTEGER DEFAULT '0' NOT NULL, 
	CONSTRAINT pk_meaning PRIMARY KEY (id)
);
INSERT INTO "meaning" VALUES(1,'index-1','model/8',NULL,0);
CREATE TABLE note (
	id TEXT NOT NULL, 
	whose TEXT NOT NULL, 
	text TEXT NOT NULL, 
	at DATETIME NOT NULL, 
	person INTEGER NOT NULL, 
	speaker TEXT NOT NULL, 
	conversation TEXT NOT NULL, 
	CONSTRAINT pk_note PRIMARY KEY (id)
);
CREATE TABLE outbox (
	id INTEGER NOT NULL, 
	"key" TEXT NOT NULL, 
	chat INTEGER NOT NULL, 
	content TEXT NOT NULL, 
	version INTEGER NOT NULL, 
	shown_version INTEGER NOT NULL, 
	state TEXT NOT NULL, 
	created_at DATETIME NOT NULL, 
	pieces TEXT NOT NULL, 
	message_ids TEXT NOT NULL, 
	attempts INTEGER NOT NULL, 
	error TEXT NOT NULL, 
	recorded_at DATETIME, copy_of INTEGER, maker INTEGER, 
	CONSTRAINT pk_outbox PRIMARY KEY (id), 
	CONSTRAINT fk_outbox_chat FOREIGN KEY(chat) REFERENCES chat (id), 
	CONSTRAINT uq_outbox_key UNIQUE ("key")
);
INSERT INTO "outbox" VALUES(1,'card:card-1',1,'{"kind":"card","blocks":[{"text":"Run a command?","kind":"markdown"},{"text":"ls","language":"sh","kind":"code"}],"buttons":[[{"label":"Approve","data":"y:abc"},{"label":"Deny","data":"n:abc"}]],"files":[{"path":"report.md","name":"report.md","caption":"the report"}],"reply_to":"17","silent":false}',1,0,'owed','2026-11-21 09:30:00.123456','[]','[]',0,'',NULL,NULL,NULL);
CREATE TABLE pairing (
	id INTEGER NOT NULL, 
	code_hash TEXT NOT NULL, 
	expires_at DATETIME NOT NULL, 
	CONSTRAINT pk_pairing PRIMARY KEY (id)
);
CREATE TABLE passage (
	number INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, 
	id TEXT NOT NULL, 
	whose TEXT NOT NULL, 
	at DATETIME NOT NULL, 
	question TEXT NOT NULL, 
	answer TEXT NOT NULL, 
	person INTEGER NOT NULL, 
	speaker TEXT NOT NULL, 
	chat INTEGER, 
	conversation TEXT NOT NULL, 
	skill TEXT, 
	untrusted TEXT, 
	"indexed" BOOLEAN DEFAULT 0 NOT NULL, meant BOOLEAN DEFAULT 0 NOT NULL, origins TEXT DEFAULT '' NOT NULL, 
	CONSTRAINT fk_passage_chat_chat FOREIGN KEY(chat) REFERENCES chat (id)
);
CREATE TABLE past (
	id INTEGER NOT NULL, 
	conversation TEXT NOT NULL, 
	ended BOOLEAN NOT NULL, 
	CONSTRAINT pk_past PRIMARY KEY (id)
);
CREATE TABLE person (
	id INTEGER NOT NULL, 
	name TEXT NOT NULL, 
	role TEXT NOT NULL, rights TEXT DEFAULT '{}' NOT NULL, pace TEXT, about TEXT DEFAULT '' NOT NULL, timezone TEXT, 
	CONSTRAINT pk_person PRIMARY KEY (id)
);
INSERT INTO "person" VALUES(1,'Ann','owner','{}',NULL,'',NULL);
CREATE TABLE "plan" (
	id TEXT NOT NULL, 
	token TEXT NOT NULL, 
	chat INTEGER NOT NULL, 
	asker INTEGER NOT NULL, 
	asker_name TEXT NOT NULL, 
	collector INTEGER NOT NULL, 
	created_at DATETIME NOT NULL, 
	since DATETIME NOT NULL, 
	state TEXT NOT NULL, 
	revision INTEGER NOT NULL, 
	version INTEGER NOT NULL, 
	title TEXT NOT NULL, 
	summary TEXT NOT NULL, 
	wish TEXT NOT NULL, 
	message TEXT NOT NULL, 
	turn TEXT, 
	decider_name TEXT NOT NULL, 
	ended_at DATETIME, 
	owner_chats TEXT NOT NULL, 
	CONSTRAINT pk_plan PRIMARY KEY (id), 
	CONSTRAINT fk_plan_chat_chat FOREIGN KEY(chat) REFERENCES chat (id), 
	CONSTRAINT uq_plan_token UNIQUE (token)
);
INSERT INTO "plan" VALUES('plan-1','token-plan-1',1,1,'Ann',1,'2026-11-21 09:30:00.123456','2026-11-21 09:30:00.123456','collecting',1,1,'The report','','','17',NULL,'',NULL,'[]');
CREATE TABLE plan_step (
	"plan" TEXT NOT NULL, 
	revision INTEGER NOT NULL, 
	number INTEGER NOT NULL, 
	tool TEXT NOT NULL, 
	arguments BLOB NOT NULL, 
	description TEXT NOT NULL, 
	effect TEXT NOT NULL, 
	preview TEXT NOT NULL, 
	state TEXT NOT NULL, 
	outcome TEXT NOT NULL, 
	call TEXT NOT NULL, skill TEXT, lender TEXT, 
	CONSTRAINT pk_plan_step PRIMARY KEY ("plan", revision, number), 
	CONSTRAINT fk_plan_step_plan_plan FOREIGN KEY("plan") REFERENCES "plan" (id)
);
INSERT INTO "plan_step" VALUES('plan-1',1,1,'write_file',X'7B2270617468223A22312E6D64227D','write_file 1.md','write','{"title":"Create a file?","subject":"1.md","effect":"write","blocks":[{"text":"x","language":"md","kind":"code"}],"where":"","why":"","seen":null,"always":null,"always_label":""}','open','','','minutes',NULL);
INSERT INTO "plan_step" VALUES('plan-1',1,2,'write_file',X'7B2270617468223A22322E6D64227D','write_file 2.md','write','{"title":"Create a file?","subject":"2.md","effect":"write","blocks":[{"text":"x","language":"md","kind":"code"}],"where":"","why":"","seen":null,"always":null,"always_label":""}','open','','','minutes-review','minutes');
CREATE TABLE received (
	id INTEGER NOT NULL, 
	chat INTEGER NOT NULL, 
	"key" TEXT NOT NULL, 
	folder BLOB NOT NULL, 
	path TEXT NOT NULL, 
	size INTEGER NOT NULL, 
	digest TEXT NOT NULL, 
	kept_at DATETIME NOT NULL, 
	swept BOOLEAN NOT NULL, 
	CONSTRAINT pk_received PRIMARY KEY (id), 
	CONSTRAINT fk_received_chat_chat FOREIGN KEY(chat) REFERENCES chat (id)
);
CREATE TABLE rule (
	id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, 
	person INTEGER NOT NULL, 
	chat INTEGER NOT NULL, 
	tool TEXT NOT NULL, 
	pattern TEXT NOT NULL, 
	label TEXT NOT NULL, 
	created_at DATETIME NOT NULL, surroundings TEXT DEFAULT '{}' NOT NULL, under TEXT DEFAULT '' NOT NULL, 
	CONSTRAINT fk_rule_chat FOREIGN KEY(chat) REFERENCES chat (id), 
	CONSTRAINT fk_rule_person FOREIGN KEY(person) REFERENCES person (id)
);
INSERT INTO "rule" VALUES(1,1,1,'run_command','{"words":["pytest","-q"],"kind":"command"}','pytest -q','2026-11-21 09:30:00.123456','{}','');
CREATE TABLE run (
	task TEXT NOT NULL, 
	due DATETIME NOT NULL, 
	turn TEXT NOT NULL, 
	chat INTEGER NOT NULL, 
	at DATETIME NOT NULL, 
	state TEXT NOT NULL, 
	late BOOLEAN NOT NULL, 
	tries INTEGER NOT NULL, 
	again_at DATETIME, 
	ended_at DATETIME, 
	rounds INTEGER NOT NULL, 
	why TEXT NOT NULL, 
	CONSTRAINT pk_run PRIMARY KEY (task, due), 
	CONSTRAINT fk_run_task FOREIGN KEY(task) REFERENCES task (id), 
	CONSTRAINT fk_run_chat FOREIGN KEY(chat) REFERENCES chat (id)
);
INSERT INTO "run" VALUES('task-1','2026-11-21 09:30:00.123456','task-2e1f',1,'2026-11-21 09:30:00.123456','done',0,1,NULL,'2026-11-21 09:31:00.123456',1,'');
CREATE TABLE sight (
	chat INTEGER NOT NULL, 
	message_id TEXT NOT NULL, 
	outbox INTEGER NOT NULL, 
	CONSTRAINT pk_sight PRIMARY KEY (chat, message_id), 
	CONSTRAINT fk_sight_chat FOREIGN KEY(chat) REFERENCES chat (id), 
	CONSTRAINT fk_sight_outbox FOREIGN KEY(outbox) REFERENCES outbox (id)
);
CREATE TABLE task (
	id TEXT NOT NULL, 
	chat INTEGER NOT NULL, 
	home INTEGER NOT NULL, 
	asker INTEGER NOT NULL, 
	asker_name TEXT NOT NULL, 
	what TEXT NOT NULL, 
	said TEXT NOT NULL, 
	rule TEXT NOT NULL, 
	zone TEXT NOT NULL, 
	created_at DATETIME NOT NULL, 
	due DATETIME, 
	planned_at DATETIME NOT NULL, 
	state TEXT NOT NULL, 
	why TEXT NOT NULL, 
	version INTEGER NOT NULL, 
	fresh BOOLEAN NOT NULL, 
	allowed TEXT NOT NULL, 
	overlap TEXT NOT NULL, 
	calls TEXT NOT NULL, 
	calls_until DATETIME, 
	limits TEXT NOT NULL, 
	failures INTEGER NOT NULL, 
	untrusted TEXT, goal TEXT, mandate TEXT DEFAULT '{}' NOT NULL, 
	CONSTRAINT pk_task PRIMARY KEY (id), 
	CONSTRAINT fk_task_chat FOREIGN KEY(chat) REFERENCES chat (id), 
	CONSTRAINT fk_task_home FOREIGN KEY(home) REFERENCES chat (id)
);
INSERT INTO "task" VALUES('task-1',1,1,1,'Ann','Water the plants','every 2h','{"seconds":7200,"start":"2026-11-21T09:30:00.123456Z","kind":"every"}','Europe/Berlin','2026-11-21 09:30:00.123456','2026-11-21 11:30:00.123456','2026-11-21 09:30:00.123456','active','',1,1,'ask','skip','[]',NULL,'{"runs":null,"rounds":null,"money":null}',0,NULL,NULL,'{}');
CREATE TABLE turn (
	id TEXT NOT NULL, 
	chat INTEGER NOT NULL, 
	conversation TEXT NOT NULL, 
	asker INTEGER NOT NULL, 
	asker_name TEXT NOT NULL, 
	model TEXT NOT NULL, 
	created_at DATETIME NOT NULL, 
	origin TEXT NOT NULL, 
	approval TEXT, 
	state TEXT NOT NULL, 
	stop_reason TEXT, 
	rounds INTEGER NOT NULL, 
	calls INTEGER NOT NULL, 
	worked_ms INTEGER NOT NULL, 
	attempts INTEGER NOT NULL, 
	stop_asked TEXT, 
	reply_to TEXT, 
	ended_at DATETIME, skill TEXT, stages INTEGER DEFAULT '0' NOT NULL, rests INTEGER DEFAULT '0' NOT NULL, rests_until DATETIME, begun INTEGER DEFAULT '0' NOT NULL, held_back BOOLEAN DEFAULT 0 NOT NULL, ways_on TEXT DEFAULT 'none' NOT NULL, follows TEXT, way TEXT, said TEXT DEFAULT '' NOT NULL, parent TEXT, mandate TEXT DEFAULT '{}' NOT NULL, owner INTEGER, 
	CONSTRAINT pk_turn PRIMARY KEY (id), 
	CONSTRAINT fk_turn_chat FOREIGN KEY(chat) REFERENCES chat (id)
);
INSERT INTO "turn" VALUES('turn-1',1,'bfe80bf3f68642088cb79e8822ab7233',1,'Ann','anthropic/claude-sonnet-5-5','2026-11-21 09:30:00.123456','message',NULL,'parked',NULL,1,1,0,0,NULL,NULL,NULL,'report',1,0,NULL,0,0,'none',NULL,NULL,'',NULL,'{}',NULL);
CREATE TABLE "usage" (
	id INTEGER NOT NULL, 
	turn TEXT NOT NULL, 
	chat INTEGER, 
	person INTEGER, 
	model TEXT NOT NULL, 
	at DATETIME NOT NULL, 
	input INTEGER NOT NULL, 
	output INTEGER NOT NULL, 
	cache_read INTEGER NOT NULL, 
	cache_write INTEGER NOT NULL, 
	cost INTEGER, 
	kind TEXT NOT NULL, 
	call TEXT NOT NULL, 
	skill TEXT, 
	estimated BOOLEAN NOT NULL, 
	CONSTRAINT pk_usage PRIMARY KEY (id), 
	CONSTRAINT fk_usage_chat FOREIGN KEY(chat) REFERENCES chat (id)
);
INSERT INTO "usage" VALUES(1,'turn-1',1,1,'anthropic/claude-sonnet-5-5','2026-11-21 09:30:00.123456',10,20,3000,40,10000000,'turn','before-1',NULL,0);
INSERT INTO "usage" VALUES(2,'',NULL,NULL,'openai/text-embedding-3-small','2026-11-22 09:30:00.000000',500,0,0,0,10000,'embedding','call-2',NULL,1);
CREATE TABLE verdict (
	id INTEGER NOT NULL, 
	turn TEXT NOT NULL, 
	round INTEGER NOT NULL, 
	at DATETIME NOT NULL, 
	details TEXT NOT NULL, 
	CONSTRAINT pk_verdict PRIMARY KEY (id)
);
INSERT INTO "verdict" VALUES(1,'turn-1',1,'2026-11-21 09:30:00.123456','{"step":"Ask"}');
CREATE TABLE voice_note (
	turn TEXT NOT NULL, 
	chat INTEGER NOT NULL, 
	at DATETIME NOT NULL, 
	tries INTEGER NOT NULL, 
	CONSTRAINT pk_voice_note PRIMARY KEY (turn), 
	CONSTRAINT fk_voice_note_chat FOREIGN KEY(chat) REFERENCES chat (id)
);
INSERT INTO "voice_note" VALUES('turn-1',1,'2026-11-21 09:30:00.123456',1);
CREATE INDEX ix_audit_chat ON audit (chat, id);
CREATE INDEX ix_audit_ran ON audit (chat, at) WHERE action = 'call.ran';
CREATE INDEX ix_verdict_turn ON verdict (turn);
CREATE INDEX ix_account_person ON account (person);
CREATE INDEX ix_approval_decided ON approval (chat) WHERE state <> 'open' AND NOT turn_settled;
CREATE INDEX ix_approval_open ON approval (chat) WHERE state = 'open';
CREATE INDEX ix_approval_overdue ON approval (expires_at) WHERE state = 'open';
CREATE INDEX ix_approval_pending ON approval (chat) WHERE (turn_settled = false OR (set_aside AND NOT reported));
CREATE INDEX ix_approval_turn ON approval (turn);
CREATE INDEX ix_conversation_closed ON conversation (chat, closed_at);
CREATE INDEX ix_entry_conversation ON entry (conversation, seq);
CREATE INDEX ix_inbox_unrouted ON inbox (id) WHERE state = 'new';
CREATE INDEX ix_inbox_waiting ON inbox (chat) WHERE state = 'waiting';
CREATE UNIQUE INDEX uq_inbox_channel ON inbox (channel, "key");
CREATE INDEX ix_outbox_owed ON outbox (chat) WHERE state = 'owed';
CREATE INDEX ix_rule_chat ON rule (chat, person);
CREATE INDEX ix_turn_stopping ON turn (chat) WHERE state = 'parked' AND stop_asked IS NOT NULL;
CREATE INDEX ix_turn_unsettled ON turn (chat) WHERE state <> 'settled';
CREATE INDEX ix_inbox_heard ON inbox (chat) WHERE state = 'heard';
CREATE INDEX ix_approval_for_owners ON approval (created_at) WHERE state = 'open' AND owner_chats <> '[]';
CREATE INDEX ix_plan_chat ON "plan" (chat, created_at);
CREATE UNIQUE INDEX uq_plan_live ON "plan" (chat) WHERE state IN ('collecting', 'ready', 'approved', 'executing');
CREATE INDEX ix_inbox_message ON inbox (chat, message_id) WHERE state = 'waiting';
CREATE INDEX ix_inbox_counted ON inbox (person, received_at) WHERE person IS NOT NULL AND NOT fragment;
CREATE INDEX ix_turn_at_work ON turn (chat) WHERE state IN ('queued', 'running', 'resting');
CREATE INDEX ix_outbox_copy ON outbox (copy_of) WHERE copy_of IS NOT NULL;
CREATE UNIQUE INDEX uq_received_chat ON received (chat, "key");
CREATE INDEX ix_received_size ON received (size);
CREATE INDEX ix_received_kept ON received (id) WHERE NOT swept;
CREATE INDEX ix_turn_ways_on ON turn (chat) WHERE ways_on = 'open';
CREATE UNIQUE INDEX uq_passage_id ON passage (id);
CREATE INDEX ix_passage_whose ON passage (whose, at);
CREATE INDEX ix_passage_conversation ON passage (conversation, number);
CREATE INDEX ix_passage_unindexed ON passage (number) WHERE NOT indexed;
CREATE INDEX ix_note_whose ON note (whose, at);
CREATE INDEX ix_passage_unmeant ON passage (number) WHERE NOT meant;
CREATE INDEX ix_usage_at ON usage (at);
CREATE INDEX ix_usage_chat ON usage (chat, at);
CREATE UNIQUE INDEX uq_usage_call ON usage (call);
CREATE INDEX ix_usage_person ON usage (person, at);
CREATE INDEX ix_usage_turn ON usage (turn);
CREATE INDEX ix_task_chat ON task (chat);
CREATE INDEX ix_task_home ON task (home);
CREATE INDEX ix_task_asker ON task (asker);
CREATE INDEX ix_task_due ON task (due) WHERE state = 'active' AND due IS NOT NULL;
CREATE INDEX ix_task_planned ON task (planned_at) WHERE state = 'active' AND due IS NOT NULL;
CREATE UNIQUE INDEX uq_run_turn ON run (turn);
CREATE INDEX ix_run_at ON run (task, at);
CREATE INDEX ix_run_again ON run (again_at) WHERE state = 'again';
CREATE INDEX ix_run_not_over ON run (task) WHERE state IN ('queued', 'running', 'waiting', 'again');
CREATE UNIQUE INDEX uq_errand_home ON errand (home);
CREATE INDEX ix_errand_parent ON errand (parent);
CREATE INDEX ix_errand_untaken ON errand (chat) WHERE NOT taken;
CREATE INDEX ix_errand_brought ON errand (chat) WHERE state = 'done' AND NOT taken;
CREATE UNIQUE INDEX uq_hook_call_key ON hook_call (hook, "key") WHERE key <> '';
CREATE UNIQUE INDEX uq_hook_call_turn ON hook_call (turn);
CREATE INDEX ix_hook_call_at ON hook_call (hook, at);
CREATE INDEX ix_goal_chat ON goal (chat);
CREATE INDEX ix_goal_asker ON goal (asker);
CREATE INDEX ix_diary_goal ON diary (goal, at);
CREATE INDEX ix_diary_turn ON diary (turn);
CREATE INDEX ix_goal_turn_goal ON goal_turn (goal);
CREATE INDEX ix_task_goal ON task (goal) WHERE goal IS NOT NULL;
CREATE INDEX ix_hook_call_when ON hook_call (at);
CREATE INDEX ix_hook_call_again ON hook_call (again_at) WHERE state = 'again';
CREATE UNIQUE INDEX uq_file_change_id ON file_change (id);
CREATE INDEX ix_file_change_task ON file_change (task);
CREATE INDEX ix_file_change_by ON file_change ("by");
CREATE INDEX ix_file_change_chat ON file_change (chat, number);
CREATE INDEX ix_conversation_branches ON conversation (parent) WHERE parent IS NOT NULL;
CREATE INDEX ix_feedback_at ON feedback (at);
CREATE INDEX ix_feedback_person ON feedback (person);
CREATE INDEX ix_feedback_chat ON feedback (chat);
CREATE UNIQUE INDEX uq_hook_call_seal ON hook_call (seal) WHERE seal <> '';
DELETE FROM "sqlite_sequence";
INSERT INTO "sqlite_sequence" VALUES('rule',1);
COMMIT;
