-- Compares the store record with this Redis process, and begins a quiet period if leases may have been lost.
-- ARGV: the longest lease the client wants, the greatest epoch it remembers or 0, the run id it saw before it read the
-- configuration, whether that configuration loses nothing on a crash, whether the user asserts a first use.

local FORMAT = 1
local WEEK, ORIGIN = 604800000000, 1735689600000000

local wanted, remembered, seen, durable, vouched = number(), number(), arg(), arg(), arg() == '1'
local info = redis.call('INFO', 'server', 'memory', 'replication', 'stats', 'commandstats')

local function fact(name)
    return string.match(info, '\n' .. name .. ':([^\r\n]*)')
end

if fact('run_id') ~= seen then
    return {'again', now}
elseif fact('role') ~= 'master' then
    return {'replica', now, fact('master_host') or '?'}
elseif fact('maxmemory_policy') ~= 'noeviction' then
    return {'evicting', now, fact('maxmemory_policy') or '?'}
end

local record = redis.call('HMGET', STORE,
    'format', 'epoch', 'max_lease', 'no_grant_before', 'run_id', 'durable', 'replicated', 'replid')
local exists = record[1] ~= false
if exists and tonumber(record[1]) > FORMAT then
    return {'newer', now, record[1]}
end

-- Whether this process has, since it started, lost keys other than by our scripts, or was a replica.
local function is_untouched()
    for _, command in ipairs({'flushall', 'flushdb', 'swapdb', 'replicaof', 'slaveof', 'failover', 'debug'}) do
        if string.find(info, '\ncmdstat_' .. command .. '[:|]') then
            return false
        end
    end
    return fact('evicted_keys') == '0' and fact('second_repl_offset') == '-1'
end

local epoch = tonumber(record[2] or 0)
local max_lease = math.max(wanted, tonumber(record[3] or 0))
local no_grant_before = tonumber(record[4] or 0)
local replid = fact('master_replid')
local replicated = (record[7] == '1' or fact('connected_slaves') ~= '0') and '1' or '0'
-- If all was lost and no client remembers the epoch, the calendar gives a lower bound: a number for each week.
local calendar = math.max(1, math.min(2000, math.floor((now - ORIGIN) / WEEK)))
local event = 'same'
local lost_at

if not exists then
    -- The uptime counts changes of the second, so it may be almost a second too long.
    local started = math.min(now, now - (tonumber(fact('uptime_in_seconds')) - 1) * 1000000)
    if remembered > 0 or not is_untouched() then
        event, lost_at = 'emptied', now
    elseif started + max_lease <= now or vouched then
        event, epoch = 'first', calendar
    else
        event, lost_at = 'unknown', started
    end
elseif record[5] ~= seen then
    if durable == '1' and record[6] == '1' and replicated == '0' and remembered <= epoch and is_untouched() then
        event = 'restarted'
    else
        event, lost_at = 'changed', now
    end
elseif record[8] ~= replid and fact('second_repl_offset') ~= '-1' then
    -- The same process, but it was a replica in between, and took over the data of its primary. A new history without a
    -- second one is harmless: it begins when a first replica comes, and when the last one has been away for long.
    event, lost_at = 'demoted', now
elseif remembered > epoch then
    event, lost_at = 'older', now
end

if lost_at then
    epoch = math.max(epoch + 1, remembered + 1, calendar)
    if epoch > 2047 then
        return {'exhausted', now}
    end
    no_grant_before = math.max(no_grant_before, lost_at + max_lease)
end

-- Opening an unchanged store writes nothing.
local unchanged = event == 'same' and max_lease == tonumber(record[3]) and durable == record[6]
    and replicated == record[7] and replid == record[8]
if not unchanged then
    redis.call('HSET', STORE, 'format', text(FORMAT), 'epoch', text(epoch), 'max_lease', text(max_lease),
        'no_grant_before', text(no_grant_before), 'run_id', seen, 'durable', durable, 'replicated', replicated,
        'replid', replid)
    redis.call('HSETNX', STORE, 'floor', '0')
end
return {'ok', now, text(epoch), text(max_lease), event, text(no_grant_before), record[3] or text(max_lease)}
