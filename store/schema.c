/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The schema, as migrations. Append only: a migration that was ever released
 * is never edited, and the number of those applied is the file's user_version.
 */
#include "store/database.h"

const char *const schema_migrations[] = {
        /* 1: devices and their calibrations; an epoch is never used twice */
        "CREATE TABLE device ("
        "  id INTEGER PRIMARY KEY,"
        "  platform TEXT NOT NULL,"
        "  vendor TEXT NOT NULL,"
        "  name TEXT NOT NULL,"
        "  uuid TEXT NOT NULL,"
        "  pci TEXT NOT NULL,"
        "  type INTEGER NOT NULL,"
        "  compute_units INTEGER NOT NULL,"
        "  UNIQUE (platform, vendor, name, uuid, pci, type, compute_units)"
        ") STRICT;"
        "CREATE TABLE calibration ("
        "  epoch INTEGER PRIMARY KEY AUTOINCREMENT,"
        "  device_id INTEGER NOT NULL REFERENCES device (id) ON DELETE CASCADE,"
        "  calibrated_at_s INTEGER NOT NULL,"
        "  duration_s REAL NOT NULL,"
        "  is_quick INTEGER NOT NULL,"
        "  was_busy INTEGER NOT NULL,"
        "  driver TEXT NOT NULL,"
        "  version TEXT NOT NULL,"
        "  clock_mhz INTEGER NOT NULL,"
        "  max_group_items INTEGER NOT NULL,"
        "  max_item_size_0 INTEGER NOT NULL,"
        "  max_item_size_1 INTEGER NOT NULL,"
        "  max_item_size_2 INTEGER NOT NULL,"
        "  local_bytes INTEGER NOT NULL,"
        "  global_bytes INTEGER NOT NULL,"
        "  max_allocation_bytes INTEGER NOT NULL,"
        "  has_double INTEGER NOT NULL,"
        "  has_half INTEGER NOT NULL,"
        "  allows_uneven_groups INTEGER NOT NULL"
        ") STRICT;"
        "CREATE INDEX calibration_of_device ON calibration (device_id, epoch);"
        "CREATE TABLE coefficient ("
        "  epoch INTEGER NOT NULL REFERENCES calibration (epoch) ON DELETE CASCADE,"
        "  name TEXT NOT NULL,"
        "  value REAL NOT NULL,"
        "  standard_error REAL NOT NULL,"
        "  PRIMARY KEY (epoch, name)"
        ") STRICT, WITHOUT ROWID;",
        /* 2: programs analysed; a cache: what it lacks is analysed again */
        "CREATE TABLE program ("
        "  id INTEGER PRIMARY KEY,"
        "  version TEXT NOT NULL,"
        "  key BLOB NOT NULL,"
        "  used_at_s INTEGER NOT NULL,"
        "  size_bytes INTEGER NOT NULL,"
        "  analysis_time_s REAL NOT NULL,"
        "  reply BLOB NOT NULL"
        ") STRICT;"
        "CREATE UNIQUE INDEX program_key ON program (version, key);"
        "CREATE INDEX program_use ON program (used_at_s, id, size_bytes);",
        /* 3: what was observed: hashes are the keys, and state is model/correction/correction.h's
           encoding */
        "CREATE TABLE record ("
        "  kernel INTEGER NOT NULL,"
        "  launch INTEGER NOT NULL,"
        "  device INTEGER NOT NULL,"
        "  uid INTEGER NOT NULL,"
        "  state BLOB NOT NULL,"
        "  PRIMARY KEY (kernel, launch, device, uid)"
        ") STRICT, WITHOUT ROWID;"
        "CREATE TABLE observed_kernel ("
        "  kernel INTEGER PRIMARY KEY,"
        "  name TEXT NOT NULL"
        ") STRICT;"
        "CREATE TABLE observed_launch ("
        "  kernel INTEGER NOT NULL,"
        "  launch INTEGER NOT NULL,"
        "  dimensions INTEGER NOT NULL,"
        "  global_0 INTEGER NOT NULL,"
        "  global_1 INTEGER NOT NULL,"
        "  global_2 INTEGER NOT NULL,"
        "  local_0 INTEGER NOT NULL,"
        "  local_1 INTEGER NOT NULL,"
        "  local_2 INTEGER NOT NULL,"
        "  arguments TEXT NOT NULL,"
        "  PRIMARY KEY (kernel, launch)"
        ") STRICT, WITHOUT ROWID;",
        /* 4: what is kept of a user on a device besides records, in model/correction/correction.h's
         * encoding
         */
        "CREATE TABLE observer ("
        "  device INTEGER NOT NULL,"
        "  uid INTEGER NOT NULL,"
        "  state BLOB NOT NULL,"
        "  PRIMARY KEY (device, uid)"
        ") STRICT, WITHOUT ROWID;",
        /* 5: devices have keys (proto/device_key.h), of which device_key() is the function; of
         * rows with one key, the one that was calibrated last names all their calibrations */
        "CREATE TABLE device_with_key ("
        "  id INTEGER PRIMARY KEY,"
        "  key TEXT NOT NULL UNIQUE,"
        "  platform TEXT NOT NULL,"
        "  vendor TEXT NOT NULL,"
        "  name TEXT NOT NULL,"
        "  uuid TEXT NOT NULL,"
        "  pci TEXT NOT NULL,"
        "  type INTEGER NOT NULL,"
        "  compute_units INTEGER NOT NULL"
        ") STRICT;"
        "INSERT INTO device_with_key"
        "  SELECT id, device_key(platform, vendor, name, uuid, pci, compute_units), platform,"
        "    vendor, name, uuid, pci, type, compute_units"
        "  FROM device WHERE true"
        "  ORDER BY (SELECT max(epoch) FROM calibration WHERE device_id = device.id) DESC"
        "  ON CONFLICT (key) DO NOTHING;"
        "UPDATE calibration SET device_id = (SELECT device_with_key.id FROM device_with_key, device"
        "  WHERE device.id = calibration.device_id AND key = device_key(device.platform,"
        "    device.vendor, device.name, device.uuid, device.pci, device.compute_units));"
        "DROP TABLE device;"
        "ALTER TABLE device_with_key RENAME TO device;",
        /* 6: what a device's compiler makes of sources, and what its calibration doubts */
        ("ALTER TABLE calibration ADD COLUMN language BLOB NOT NULL DEFAULT x'';"
         "ALTER TABLE calibration ADD COLUMN doubts TEXT NOT NULL DEFAULT '';"),
        /* 7: samples of buffers, each of one user; a message is proto/predictd.proto's Sample */
        "CREATE TABLE sample ("
        "  id INTEGER PRIMARY KEY,"
        "  uid INTEGER NOT NULL,"
        "  name BLOB NOT NULL,"
        "  used_at_s INTEGER NOT NULL,"
        "  message BLOB NOT NULL,"
        "  UNIQUE (uid, name)"
        ") STRICT;",
};

const int schema_version = (int)(sizeof schema_migrations / sizeof schema_migrations[0]);
