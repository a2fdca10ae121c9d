package import Records
package import Wire

extension RecordWrite {
    /// Makes the write that a guest asks for.
    /// - Parameter guest: The guest's write.
    package init(_ guest: GuestRecordWrite) {
        self.init(
            name: guest.name,
            type: guest.type,
            set: guest.set,
            remove: guest.removed,
            increments: guest.increments,
            insertions: guest.insertions,
            withdrawals: guest.withdrawals,
            replaceAll: guest.flags.contains(.replaceAll),
            delete: guest.flags.contains(.delete),
            ifVersion: guest.ifVersion.flatMap { RecordVersion($0) },
            ifAbsent: guest.flags.contains(.ifAbsent),
            resolve: guest.flags.contains(.resolve),
            parent: guest.parent
        )
    }

    /// Returns the write in the form in which a guest asks for it.
    /// - Throws: `.invalid` for values that no message can carry, and so no record can hold.
    package func forGuest() throws(WriteRefusal) -> GuestRecordWrite {
        var flags: GuestRecordWrite.Flags = []
        if delete { flags.insert(.delete) }
        if replaceAll { flags.insert(.replaceAll) }
        if ifAbsent { flags.insert(.ifAbsent) }
        if resolve { flags.insert(.resolve) }
        let guest = GuestRecordWrite(
            name: name,
            type: type,
            flags: flags,
            ifVersion: ifVersion?.bytes,
            parent: parent,
            set: set,
            removed: remove,
            increments: increments,
            insertions: insertions,
            withdrawals: withdrawals
        )
        // The other side takes an encoding that it cannot read for a broken rule.
        do {
            _ = try guest.checkedEncoding()
        } catch {
            throw .invalid(error)
        }
        return guest
    }
}
