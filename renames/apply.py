#!/usr/bin/env python3
"""Applies the rename maps to a checkout: apply.py ROOT MAP.tsv... [--dry]"""
import collections, os, re, subprocess, sys
root = sys.argv[1]
maps = [a for a in sys.argv[2:] if not a.startswith('--')]
rows, files, regexes = [], {}, []
bad = []
for m in maps:
    for n, l in enumerate(open(m), 1):
        l = l.rstrip('\n')
        if not l.strip() or l.startswith('#'): continue
        p = l.split('\t')
        if p[0] == 'old' and p[1] == 'new': continue
        p += [''] * (5 - len(p))
        old, new, kind, scope, note = (x.strip() for x in p[:5])
        if kind == 'label' or old == new: continue
        if kind == 'file': files[old] = new; continue
        scopes = [] if scope in ('*', '') else [s.strip() for s in scope.split(',') if s.strip()]
        code = bool(re.match(r'code\b', note)) or ' code' in ' ' + note.split('.')[0][:12]
        if kind == 'regex': regexes.append((re.compile(old), new, scopes, code, m, n)); continue
        if not re.fullmatch(r'[A-Za-z_]\w*', old) or not re.fullmatch(r'[A-Za-z_][\w:]*', new):
            bad.append((m, n, old, new)); continue
        rows.append((old, new, scopes, code, m, n))
for b in bad: print('BAD', *b)
listed = subprocess.run(['git', '-C', root, 'ls-files'], capture_output=True, text=True).stdout.split()
tracked_set = set(listed)
TOKEN = re.compile(r'(?P<c>//[^\n]*|/\*.*?\*/)|(?P<s>R"\((?:.*?)\)"|"(?:[^"\\\n]|\\.)*")|(?P<h>^[ \t]*#[ \t]*include[^\n]*)', re.S | re.M)

def in_scope(path, scopes): return not scopes or any(path == s or path.startswith(s if s.endswith('/') else s + '/') or path.startswith(s) for s in scopes)

def for_file(path):
    """One dict word -> new for everywhere, one for code alone; longest scope wins."""
    every, code = {}, {}
    for old, new, scopes, c, m, n in rows:
        if not in_scope(path, scopes): continue
        spec = max([len(s) for s in scopes if path.startswith(s)] or [0])
        d = code if c else every
        if old in d and d[old][0] > spec: continue
        if old in d and d[old][1] != new and d[old][0] == spec: conflicts[(old, d[old][1], new)].add(path)
        d[old] = (spec, new)
    for old in list(every):
        if old in code:
            (every if every[old][0] < code[old][0] else code).pop(old)
    return {k: v[1] for k, v in every.items()}, {k: v[1] for k, v in code.items()}

conflicts = collections.defaultdict(set)
used = collections.Counter()
WORD = re.compile(r'[A-Za-z_]\w*')

def swap(text, table):
    def one(m):
        w = m.group(0)
        if w in table: used[w] += 1; return table[w]
        return w
    return WORD.sub(one, text)

def convert_code(path, text, every, code):
    both = {**every, **code}
    for rx, new, scopes, c, m, n in regexes:
        if in_scope(path, scopes): text = rx.sub(new, text)
    out, at = [], 0
    for t in TOKEN.finditer(text):
        out.append(swap(text[at:t.start()], both))
        tok = t.group(0)
        if t.lastgroup == 'c': out.append(swap(tok, every))
        elif t.lastgroup == 'h': out.append(convert_include(path, tok))
        else: out.append(tok)      # strings stand
        at = t.end()
    out.append(swap(text[at:], both))
    return ''.join(out)

FENCE_AS = {'docs/writing-a-transport.md': 'transports/pipe/pipe.cpp'}

def convert_prose(path, text, every, code):
    """Only what stands in backticks, and unique names with an underscore."""
    if path.endswith('.md'):
        src = FENCE_AS.get(path, path)
        e, c = tables.setdefault(src, for_file(src))
        out = []
        for part in re.split(r'(?ms)(^```\w*\n.*?^```)', text):
            if part.startswith('```cpp'): out.append(convert_code(src, part, e, c))
            elif part.startswith('```'): out.append(part)  # what a user types and sees
            else: out.append(convert_inline(path, part, every, code))
        return ''.join(out)
    return convert_inline(path, text, every, code)

def convert_inline(path, text, every, code):
    both = {**every, **code}
    named = {k: v for k, v in every.items() if '_' in k.strip('_')}
    parts = re.split(r'(`[^`\n]*`)', text)
    return ''.join(swap(p, both) if p.startswith('`') else swap(p, named) for p in parts)

def convert_paths(path, text):
    for o, n in files.items():
        if o in text: text = re.sub(r'(?<![\w/.-])' + re.escape(o) + r'(?![\w])', n, text)
    return text

def convert_include(path, tok):
    m = re.search(r'([<"])([^>"]+)([>"])', tok)
    if not m: return tok
    inc = m.group(2)
    here = os.path.dirname(path)
    there = os.path.dirname(files.get(path, path))
    for base in (here, '', 'libam/include', 'tests'):
        full = os.path.normpath(os.path.join(base, inc))
        if full in tracked_set:
            new = files.get(full, full)
            if base == here and m.group(1) == '"':
                return tok.replace(inc, os.path.relpath(new, there or '.'))
            if base in ('libam/include',): return tok.replace(inc, os.path.relpath(new, base))
            return tok.replace(inc, new)
    return tok

def convert_cmake(path, text):
    d = os.path.dirname(path)
    def one(m):
        tok = m.group(0)
        full = os.path.normpath(os.path.join(d, tok))
        if full in files: return os.path.relpath(files[full], d)
        if tok in files: return files[tok]
        return tok
    return re.sub(r'[\w./-]+\.(?:cpp|hpp|c|h)\b', one, text)

CODE = ('.cpp', '.hpp', '.c', '.h', '.in')
changed = {}
tables = {}
for path in listed:
    full = os.path.join(root, path)
    if os.path.islink(full): continue
    try: text = open(full).read()
    except (UnicodeDecodeError, FileNotFoundError): continue
    every, code = tables.setdefault(path, for_file(path))
    was = text
    if re.match(r'tests/mutation/faults.*\.txt$', path):
        out, where = [], None
        blocks = re.split(r'(?m)^(?=\[)', text)
        for b in blocks:
            m = re.search(r'^file: (\S+)', b, re.M)
            if m:
                src = m.group(1)
                e, c = tables.setdefault(src, for_file(src))
                lines = []
                for l in b.split('\n'):
                    k = re.match(r'(line|instead): (.*)$', l)
                    lines.append(f'{k.group(1)}: ' + convert_code(src, k.group(2), e, c) if k else convert_paths(path, l) if l.startswith('file:')  else convert_prose(path, l, e, c))
                b = '\n'.join(lines)
            out.append(b)
        text = ''.join(out)
    elif path.endswith(CODE): text = convert_paths(path, convert_code(path, text, every, code))
    elif path.endswith('.txt') and path.endswith('CMakeLists.txt') or path.endswith('.cmake'): text = convert_cmake(path, text)
    elif path.endswith(('.md', '.py', '.sh', '.txt', '.map', '.json')) or '.' not in os.path.basename(path):
        text = convert_prose(path, convert_paths(path, text), every, code)
    if text != was: changed[path] = text
if '--dry' not in sys.argv:
    for p, t in changed.items(): open(os.path.join(root, p), 'w').write(t)
    for o, n in files.items():
        if not os.path.exists(os.path.join(root, o)): print('NOFILE', o); continue
        os.makedirs(os.path.dirname(os.path.join(root, n)), exist_ok=True)
        subprocess.run(['git', '-C', root, 'mv', o, n], check=True)
for (o, a, b), ps in conflicts.items(): print('CONFLICT', o, a, b, len(ps), sorted(ps)[:3])
for r in rows:
    if not used[r[0]]: print('UNUSED', *r[:3], r[4], r[5])
print(len(rows), 'rows', len(files), 'files', len(changed), 'changed')
