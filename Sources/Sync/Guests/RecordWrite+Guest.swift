package import Records
package import Wire

extension RecordWrite {
    /// Makes the write that a guest asks for.
    /// - Parameter guest: The guest's write.
    package init(_ guest: GuestRecordWrite) {
        let parent: ParentChange =
            switch guest.parent {
            case .keep: .keep
            case .set(let name): .set(name)
            case .clear: .clear
            }
        self.init(
            name: guest.name,
            type: guest.type,
            set: guest.set.map { Assignment(field: $0.field, value: $0.value) },
            remove: guest.removed,
            increments: guest.increments.map { Increment(field: $0.field, amount: $0.amount) },
            insertions: guest.insertions.map { Elements(field: $0.field, values: $0.values) },
            withdrawals: guest.withdrawals.map { Elements(field: $0.field, values: $0.values) },
            replaceAll: guest.flags.contains(.replaceAll),
            delete: guest.flags.contains(.delete),
            ifVersion: guest.ifVersion.flatMap { RecordVersion($0) },
            ifAbsent: guest.flags.contains(.ifAbsent),
            resolve: guest.flags.contains(.resolve),
            parent: parent
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
        let parent: GuestRecordWrite.Parent =
            switch parent {
            case .keep: .keep
            case .set(let name): .set(name)
            case .clear: .clear
            }
        let guest = GuestRecordWrite(
            name: name,
            type: type,
            flags: flags,
            ifVersion: ifVersion?.bytes,
            parent: parent,
            set: set.map { GuestRecordWrite.Assignment(field: $0.field, value: $0.value) },
            removed: remove,
            increments: increments.map { GuestRecordWrite.Increment(field: $0.field, amount: $0.amount) },
            insertions: insertions.map { GuestRecordWrite.Elements(field: $0.field, values: $0.values) },
            withdrawals: withdrawals.map { GuestRecordWrite.Elements(field: $0.field, values: $0.values) }
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
