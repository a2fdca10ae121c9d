internal import Glibc
internal import KairanClient

/// Extended attributes that the daemon is asked for.
extension ZoneMount {
    /// Answers a question, unless it is interrupted before.
    func answer(_ inquiry: Inquiry) async {
        await withTaskGroup(of: Void.self) { group in
            group.addTask {
                let answer = await self.value(of: inquiry)
                self.pending.finish(inquiry.answer, answer)
            }
            group.addTask { for await _ in inquiry.end {} }
            await group.next()
            group.cancelAll()
        }
    }

    private func value(of inquiry: Inquiry) async -> KernelAnswer {
        do {
            var places = self.places(of: inquiry.file.content, at: inquiry.file.place, as: inquiry.node)[...]
            while true {
                guard let place = places.popFirst() else { throw ReadFault.stale }
                do {
                    let content = inquiry.file.content
                    let value = try await inquiry.attribute.ask(about: content, at: place, settings.client)
                    return .extended(value, room: inquiry.room)
                } catch ReadFault.stale where !places.isEmpty {
                    continue
                } catch let error as KairanError where ReadFault.isElsewhere(error) && !places.isEmpty {
                    continue
                }
            }
        } catch {
            if !Task.isCancelled { log.note(error, reading: path(of: inquiry.node)) }
            return .failure(ReadFault.number(of: error))
        }
    }
}
