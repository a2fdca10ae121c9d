/// Version 17: parcels that were left on relays for unreachable devices.
enum Migration017 {
    static let sql = """
        CREATE TABLE posted_parcel (
            number        INTEGER PRIMARY KEY,       -- in the order in which they were left
            relay         BLOB    NOT NULL,          -- 32 bytes
            device        INTEGER NOT NULL,          -- identifier: for whom
            parcel        BLOB    NOT NULL,          -- 32 bytes
            day           INTEGER NOT NULL,          -- days since 1970: of its mailbox
            until         INTEGER NOT NULL,          -- milliseconds since 1970, by the relay's clock
            missing_since INTEGER,                   -- milliseconds since 1970; NULL = it is there
            stretches     BLOB    NOT NULL,          -- what of logs is in it, as on the wire
            UNIQUE (relay, device, parcel)
        ) STRICT;
        -- Up to which size logs were left for a device, on any relay.
        CREATE TABLE posted_log (
            device INTEGER NOT NULL,                 -- identifier
            zone   INTEGER NOT NULL,                 -- identifier
            actor  INTEGER NOT NULL,                 -- identifier
            lane   INTEGER NOT NULL,
            size   INTEGER NOT NULL,
            PRIMARY KEY (device, zone, actor, lane)
        ) STRICT, WITHOUT ROWID;
        """
}
